import * as z from 'zod'
import type { Media, OperationResponse, Operation } from './operation.ts'
import { mediaTypes, needsSession, takesIdempotencyKey } from './operation.ts'
import { exampleValues } from './example-values.ts'
import { wireErrors } from './error-body.ts'
import { problems, type ProblemType } from './problems.ts'

type Json = Record<string, unknown>

interface WireMeta {
  wire?: Json
  as?: z.ZodType
  envelope?: Enveloped
  /** The name of the component that equal shapes share. */
  component?: string
}

interface Enveloped {
  type: string
  flat: boolean
  attributes: z.ZodObject
  /** All attributes of the resource; any not in `attributes` are read-only. */
  shows?: z.ZodObject | undefined
}

/** Shared parts of operations, by section of `components`. */
interface Components {
  schemas: Record<string, Json>
  parameters: Record<string, Json>
  responses: Record<string, Json>
}

/** The OpenAPI 3.1 document of the operations. `version` is the product version. */
export function openapi(operations: Record<string, Operation>, info: { version: string; server_url: string }): Json {
  const components: Components = {
    schemas: {},
    parameters: { DemarcAccount: demarcAccount, IdempotencyKey: idempotencyKey },
    responses: {},
  }
  const paths: Record<string, Json> = {}
  for (const o of Object.values(operations)) (paths[o.path] ??= {})[o.method.toLowerCase()] = describe(o, components)
  shareParameters(Object.values(paths).flatMap((path) => Object.values(path)) as Json[], components)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Demarc',
      version: info.version,
      summary: 'Numbers, routes, port orders, emergency addresses, caller ID names and call-record exports.',
      description:
        'Customers use the operations under /v2 with an access key. The operations under /operator need an operator key. An operator key can also use the operations under /v2, for all accounts or for the account in the Demarc-Account header. People use both with a session, within the limits of their role.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.server_url }],
    security: usualSecurity,
    tags: [...new Set(Object.values(operations).map((o) => o.feature))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'basic', description: 'Access key as user name, secret key as password.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'demarc_session',
          description:
            'A person’s session; over TLS, the name is `__Host-demarc_session`. Requests other than GET also need its `csrf_token` in the Demarc-CSRF header. People with several accounts select one in the Demarc-Account header.',
        },
      },
      headers: { 'X-Request-Id': header('Identifies this request in the log.') },
      ...components,
    },
  }
}

function describe(o: Operation, components: Components): Json {
  const errors = new Map<number, ProblemType[]>()
  for (const type of new Set(problemsOf(o))) {
    const { status } = problems[type]
    errors.set(status, [...(errors.get(status) ?? []), type])
  }
  const declared = [
    ...parameters('path', o.params, components),
    ...parameters('query', o.query, components),
    ...(takesAccount(o) ? [{ $ref: '#/components/parameters/DemarcAccount' }] : []),
    ...(takesIdempotencyKey(o) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  const security = securityOf(o)
  return {
    operationId: o.id,
    tags: [o.feature],
    summary: o.summary,
    ...(o.description ? { description: o.description } : {}),
    ...(JSON.stringify(security) === JSON.stringify(usualSecurity) ? {} : { security }),
    ...(declared.length > 0 ? { parameters: declared } : {}),
    ...(o.body ? { requestBody: { required: true, content: requestContent(o, components) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(o.responses).map(([status, a]) => [status, response(o, status, a, components)]),
      ),
      ...Object.fromEntries([...errors].map(([status, types]) => [status, errorResponse(o.media, types, components)])),
    },
  }
}

/** Authentication schemes of most operations: a key or a session. */
const usualSecurity: Json[] = [{ key: [] }, { session: [] }]

/** Authentication schemes of an operation. */
const securityOf = (o: Operation): Json[] => [
  ...(o.principals.includes('link') ? [{}] : []),
  ...(o.principals.includes('anyone') || needsSession(o) ? [] : [{ key: [] }]),
  ...(o.principals.includes('anyone') || o.principals.includes('key') ? [] : [{ session: [] }]),
]

/** All problems of an operation: its own and those of any request with a key, a query, a body, or an Idempotency-Key. */
const problemsOf = (o: Operation): ProblemType[] => [
  ...o.problems,
  ...(['malformed-request', 'not-acceptable', 'rate-limited', 'internal'] as const),
  ...(o.principals.includes('anyone') ? [] : (['unauthorized', 'not-authorized'] as const)),
  // monitoring is served even during an overload
  ...(o.feature === 'health' ? [] : (['not-ready'] as const)),
  ...(takesCsrfToken(o) ? (['csrf-token-required'] as const) : []),
  // a repeated query parameter, or an unknown account in the Demarc-Account header
  ...(o.query || !o.principals.includes('anyone') ? (['invalid-input'] as const) : []),
  ...(o.body ? (['request-timeout', 'payload-too-large', 'unsupported-media-type'] as const) : []),
  ...(takesIdempotencyKey(o) ? (['conflict', 'idempotency-key-reused'] as const) : []),
]

const takesCsrfToken = ({ method, principals }: Operation) =>
  method !== 'GET' && !principals.includes('anyone') && !principals.includes('key')

/** The header that selects an account, for requests with an operator key or a session. */
const takesAccount = ({ principals }: Operation) => !principals.includes('anyone')

const demarcAccount: Json = {
  name: 'Demarc-Account',
  in: 'header',
  description: 'With an operator key, the ID of the account to act for. Ignored with an account’s key.',
  schema: { type: 'string', pattern: '^\\d{1,18}$' },
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to retry for 24 hours. A retry gets the first response, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
}

/** Operations with the same problems for a status share one response component. */
function errorResponse(media: Media, types: readonly ProblemType[], components: Components): Json {
  const name = types.map((type) => pascalCase(type)).join('Or') + (media === 'json' ? 'AsJson' : '')
  components.responses[name] ??= {
    description: types.map((type) => problems[type].meaning).join(' Or: '),
    'x-problems': types,
    content: { [mediaTypes[media]]: { schema: jsonSchema(wireErrors, 'output', components) } },
  }
  return { $ref: `#/components/responses/${name}` }
}

/** A reference to an equal component, or to a new one called `name`. */
function shared(name: string, schema: Json, { schemas }: Components): Json {
  if ('$ref' in schema) return schema
  const text = asComponents(schema)
  const [known] = Object.entries(schemas).find(([, each]) => JSON.stringify(each) === text) ?? []
  if (known === undefined && Object.hasOwn(schemas, name)) throw new Error(`Two schemas are called ${name}.`)
  schemas[known ?? name] = JSON.parse(text)
  return { $ref: `#/components/schemas/${known ?? name}` }
}

/** As JSON text, with references to components in place of zod's definitions. */
const asComponents = (value: Json): string => JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')

/** The component of a schema that many shapes have: a date, or a component or null. */
function sharedName({ anyOf, ...rest }: z.core.JSONSchema.BaseSchema): string | undefined {
  if (rest.format === 'date' && rest.pattern !== undefined) return 'Date'
  if (Object.keys(rest).length > 0) return undefined
  const [first, second, ...more] = anyOf ?? []
  const [, name] = /^#\/(?:\$defs|components\/schemas)\/(\w+)$/.exec(first?.$ref ?? '') ?? []
  return name !== undefined && second?.type === 'null' && more.length === 0 ? `${name}OrNull` : undefined
}

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[-_])(\w)/g, (_, first: string) => first.toUpperCase())

function parameters(location: 'path' | 'query', shape: z.ZodObject | undefined, components: Components): Json[] {
  return Object.entries(shape?.shape ?? {}).map(([name, field]) => {
    const schema = jsonSchema(field as z.ZodType, 'input', components)
    const { description, ...rest } = schema
    return { name, in: location, required: location === 'path', ...(description ? { description } : {}), schema: rest }
  })
}

/** Parameters that at least three operations declare alike become components, if no other one has their name. */
function shareParameters(described: readonly Json[], { parameters }: Components): void {
  const inline = described.flatMap((o) => (o['parameters'] ?? []) as Json[]).filter((each) => 'name' in each)
  // Node 20, where the client also runs, has no Map.groupBy
  const equal = new Map<string, Json[]>()
  for (const each of inline) equal.set(JSON.stringify(each), [...(equal.get(JSON.stringify(each)) ?? []), each])
  for (const alike of [...equal.values()].toSorted((a, b) => b.length - a.length)) {
    const name = pascalCase(String(alike[0]?.['name']))
    if (alike.length < 3 || Object.hasOwn(parameters, name)) continue
    parameters[name] = { ...alike[0] }
    for (const each of alike) replace(each, { $ref: `#/components/parameters/${name}` })
  }
}

function requestContent(o: Operation, components: Components): Json {
  if (o.body === undefined) return {}
  if (!(o.body instanceof z.ZodType)) return Object.fromEntries(o.body.bytes.map((media) => [media, {}]))
  const schema = shared(`${pascalCase(o.id)}Body`, jsonSchema(o.body, 'input', components), components)
  const types = [...Object.values(mediaTypes), ...(o.form ? ['application/x-www-form-urlencoded'] : [])]
  return Object.fromEntries(types.map((media) => [media, { schema }]))
}

const header = (description: string): Json => ({ description, schema: { type: 'string' } })

function response(o: Operation, status: string, a: OperationResponse, components: Components): Json {
  const own = Object.entries(a.headers ?? {}).map(([name, description]) => [name, header(description)])
  const headers = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...Object.fromEntries(own) }
  if (a.body === null) return { description: a.description, headers }
  if (!(a.body instanceof z.ZodType))
    return { description: a.description, headers, content: Object.fromEntries(a.body.bytes.map((m) => [m, {}])) }
  const name = `${pascalCase(o.id)}Response${Object.keys(o.responses)[0] === status ? '' : status}`
  return {
    description: a.description,
    headers,
    content: {
      [mediaTypes[o.media]]: { schema: shared(name, jsonSchema(a.body, 'output', components), components) },
      ...Object.fromEntries((a.also ?? []).map((m) => [m, {}])),
    },
  }
}

/** JSON Schema of a shape. Shapes with an ID become components; envelopes and query coercions declare their wire form. */
function jsonSchema(shape: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const {
    $schema: _,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: out }) => {
      const meta = wireMeta(zodSchema)
      if (meta?.wire) replace(out, { ...meta.wire, ...(out.description ? { description: out.description } : {}) })
      if (meta?.as) replace(out, jsonSchema(meta.as, io, components))
      if (meta?.envelope) replace(out, enveloped(meta.envelope, components))
      // zod copies metadata into the schema
      Reflect.deleteProperty(out, 'component')
      // a copy with its own description has both the reference and what it refers to
      if (out.$ref !== undefined) Reflect.deleteProperty(out, 'anyOf')
      const { description, ...schema } = out
      const name = meta?.component ?? sharedName(schema)
      if (name !== undefined)
        replace(out, { ...shared(name, schema, components), ...(description ? { description } : {}) })
      if (io === 'input') for (const [name, member] of Object.entries(out.properties ?? {})) addExample(name, member)
      // the bounds of JavaScript integers are not limits of the API
      if (out.minimum === Number.MIN_SAFE_INTEGER) delete out.minimum
      if (out.maximum === Number.MAX_SAFE_INTEGER) delete out.maximum
    },
  }) as Json & { $defs?: Json }
  const hoisted = JSON.parse(asComponents({ schema, $defs: $defs ?? {} }))
  Object.assign(components.schemas, hoisted.$defs)
  return hoisted.schema
}

/** Wire metadata in `.meta()`. It is not declared as zod's GlobalMeta because type checking would then take minutes. */
const wireMeta = (shape: unknown): WireMeta | undefined =>
  z.globalRegistry.get(shape as z.ZodType) as WireMeta | undefined

function enveloped({ type, flat, attributes, shows }: Enveloped, components: Components): Json {
  const inner = jsonSchema(attributes, 'input', components) as Json & { properties: Json }
  const shown = shows ? (jsonSchema(shows, 'output', components)['properties'] as Record<string, Json>) : {}
  const read_only = Object.entries(shown)
    .filter(([name]) => !Object.hasOwn(inner.properties, name))
    // some tools ignore siblings of a reference
    .map(([name, schema]) => [name, { allOf: [schema], readOnly: true }])
  const members = { ...inner, properties: { ...inner.properties, ...Object.fromEntries(read_only) } }
  const data = {
    type: 'object',
    required: ['type', 'attributes'],
    properties: { type: { const: type }, id: { type: ['string', 'integer'] }, attributes: members },
  }
  const wrapped = { type: 'object', required: ['data'], properties: { data } }
  if (!flat) return wrapped
  return { oneOf: [wrapped, { ...members, properties: { type: { const: type }, ...members.properties } }] }
}

/** Texts without an example, a choice, or a format get the one of their name. */
function addExample(name: string, member: unknown): void {
  const example = Object.hasOwn(exampleValues, name) ? exampleValues[name] : undefined
  const schema = member as Json
  const choices = (schema['anyOf'] ?? [schema]) as Json[]
  const is_plain_text = choices.some(
    ({ type, enum: names, const: only, format }) =>
      [type].flat().includes('string') && names === undefined && only === undefined && format === undefined,
  )
  if (example !== undefined && is_plain_text && schema['examples'] === undefined) schema['examples'] = [example]
}

function replace(target: object, source: Json): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key)
  Object.assign(target, source)
}
