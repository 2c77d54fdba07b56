import type * as z from 'zod'
import type { ProblemType } from './problems.ts'

/**
 * Operations as data. The server's routes and validation, openapi.json, the typed client, and the docs are
 * all derived from the list of operations.
 */

export const mediaTypes = { jsonapi: 'application/vnd.api+json', json: 'application/json' } as const
/** A media type of the API. */
export type Media = keyof typeof mediaTypes

/** Features that a key can be limited to. */
export const features = [
  'accounts',
  'numbers',
  'routes',
  'cnams',
  'cdrs',
  'e911s',
  'portorders',
  'notifications',
] as const
/** A feature that a scope may name. */
export type ScopedFeature = (typeof features)[number]
/** The feature of an operation. `health` needs no key and `people` needs a session, so they have no scopes. */
export type Feature = ScopedFeature | 'health' | 'people'
/** What a scope allows. */
export type Access = 'read' | 'write'

/** A key's scopes: `read` and `write` for everything, or one feature. `write` includes `read` of the same breadth. */
export type Scope = Access | `${ScopedFeature}:${Access}`
/** Every scope. */
export const scopes: readonly Scope[] = [
  'read',
  'write',
  ...features.flatMap((f) => [`${f}:read`, `${f}:write`] as const),
]

/** True if a key with the scopes `granted` may use an operation of `feature` that needs `access`. */
export function scopeAllows(granted: readonly string[], feature: Feature, access: Access): boolean {
  const enough = access === 'read' ? ['read', 'write'] : ['write']
  return enough.some((a) => granted.includes(a) || granted.includes(`${feature}:${a}`))
}

/**
 * An operator key's scopes: `read` and `write` for everything on all accounts, `metrics:read` for `/metrics`, and `cdrs:ingest` for
 * sending call records and reading what became of them. `write` includes every other scope, and `read` includes `metrics:read`.
 */
export const operatorScopes = ['read', 'write', 'metrics:read', 'cdrs:ingest'] as const
/** A scope of an operator key. */
export type OperatorScope = (typeof operatorScopes)[number]
/** The scopes of an operator key that is created without `scopes`: full access. */
export const allOperatorRights: readonly OperatorScope[] = ['read', 'write']

/** True if operator keys with the scopes `granted` have full access, which only they can give to other keys. */
export const hasAllOperatorRights = (granted: readonly string[]): boolean => granted.includes('write')

/** True if an operator key with the scopes `granted` may use an operation that needs `access`, or for which one scope is `enough`. */
export const operatorScopeAllows = (
  granted: readonly string[],
  access: Access,
  enough: OperatorScope | undefined,
): boolean =>
  hasAllOperatorRights(granted) ||
  (access === 'read' && granted.includes('read')) ||
  (enough !== undefined && granted.includes(enough))

/**
 * Who may use an operation. `account`: an access key with the scope. `operator`: an operator key with the scope. `key`: either kind with any scopes. `anyone`: no key.
 * `link`: a signed link, or a key as for `account` and `operator`. People use sessions within their role (see roles.ts): members of
 * an account where its keys may, and operator staff where operator keys may. For people only: `person` is any signed-in person,
 * `member` acts for an account or the operator, and `manager` and `owner` have that role on the account or act for the operator.
 */
export type Principal = 'account' | 'operator' | 'key' | 'anyone' | 'link' | 'person' | 'member' | 'manager' | 'owner'

/** True if only people with a session may use the operation. */
export const needsSession = ({ principals }: Pick<Operation, 'principals'>): boolean =>
  (['person', 'member', 'manager', 'owner'] as const).some((each) => principals.includes(each))

/** A successful response of an operation. */
export interface OperationResponse {
  description: string
  /** Schema of the body; null: no body. `bytes`: a file or stream in the media types named. */
  body: z.ZodType | null | { bytes: readonly string[] }
  /** Alternative media types, selected by the Accept header. */
  also?: readonly string[]
  /** Additional headers: name → description. */
  headers?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
type Path = `/${string}`

/** An operation as data. */
export interface Operation {
  /** Unique camelCase name: OpenAPI operationId, method of the client. */
  id: string
  feature: Feature
  summary: string
  description?: string
  /** With `{name}` for parameters, from the root: `GET /v2/cnams/{cnam_id}`. */
  endpoint: `${Method} ${Path}`
  method: Method
  path: Path
  /** Alternative paths that clients use. They are served but not documented. */
  aliases?: readonly Path[]
  media: Media
  principals: readonly Principal[]
  access: Access
  /** The narrow scope with which an operator key may use it, in addition to `read` or `write` as `access` says. */
  operator_scope?: OperatorScope
  params?: z.ZodObject
  query?: z.ZodObject
  /** JSON body; or a raw stream of one of the media types named. */
  body?: z.ZodType | { bytes: readonly string[] }
  /** The body may also be `application/x-www-form-urlencoded`, which published clients send; a repeated name is a list. */
  form?: true
  responses: Record<number, OperationResponse>
  /** In addition to the problems of every request with a key, a body, or an Idempotency-Key (see openapi.ts). */
  problems: readonly ProblemType[]
  /** 422 responses give a sentence per field instead of a map of fields, as the contract shows for call-record exports. */
  fieldErrors?: 'map' | 'sentences'
  /**
   * `read`: no transaction. `transaction`: the platform opens one and the action, its event, its jobs and the
   * idempotency record commit together. `own`: the action manages its own transactions (streams, remote calls).
   */
  effect: 'read' | 'transaction' | 'own'
  /**
   * A list, a search, or a report that may read from a replica of the database: it reads with its executor only, and what it reads
   * changes only together with an event.
   */
  replica?: true
  /** For `own` operations: repeating the operation with the same input has no further effect. */
  repeatable?: true
}

/** POST and PATCH operations that need a key accept an Idempotency-Key, except reads with a non-JSON response. */
export const takesIdempotencyKey = ({ method, principals, effect, responses }: Operation): boolean =>
  (method === 'POST' || method === 'PATCH') &&
  !principals.includes('anyone') &&
  !(effect === 'read' && Object.values(responses).some(({ body }) => body !== null && 'bytes' in body))

type Input<S> = S extends z.ZodType ? z.input<S> : never
type Output<S> = S extends z.ZodType ? z.output<S> : Record<string, never>

/** What a client sends. Of a union, each operation's input by itself: all combinations of their parts are too many for the compiler. */
export type RequestInput<O extends Operation> = O extends Operation ? InputOf<O> : never
type InputOf<O extends Operation> = (O extends { params: infer P } ? { params: Input<P> } : { params?: never }) &
  (O extends { query: infer Q } ? { query?: Input<Q> } : { query?: never }) &
  (O extends { body: infer B }
    ? B extends z.ZodType
      ? { body: z.input<B> }
      : { body: NonNullable<RequestInit['body']>; content_type: string; content_encoding?: string }
    : { body?: never })

/** What a handler receives after validation. */
export type Params<O extends Operation> = O extends { params: infer P } ? Output<P> : Record<string, never>
/** The query that a handler receives. */
export type Query<O extends Operation> = O extends { query: infer Q } ? Output<Q> : Record<string, never>
/** The body that a handler receives. */
export type Body<O extends Operation> = O extends { body: infer B }
  ? B extends z.ZodType
    ? z.output<B>
    : undefined
  : undefined

type BodyOf<A> = A extends { body: infer B }
  ? B extends z.ZodType
    ? z.input<B>
    : B extends null
      ? undefined
      : 'bytes'
  : never

/** Body of a successful response: JSON of the declared shape, nothing, or a stream. */
export type ResponseBody<O extends Operation> = BodyOf<O['responses'][keyof O['responses']]>
