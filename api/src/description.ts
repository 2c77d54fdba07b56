/**
 * Parses the API description: operations, their bodies, and the fields of a body. The portal parses the document that the
 * service serves; the command line parses one derived from an operation.
 */

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  readOnly?: boolean
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  allOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

type Content = Readonly<Record<string, { schema?: Schema }>>

export interface Response {
  $ref?: string
  description: string
  content?: Content
  'x-problems'?: readonly string[]
}

type Security = readonly Readonly<Record<string, unknown>>[]

interface Described {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  /** Absent: that of the document. */
  security?: Security
  parameters?: readonly Parameter[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, Response>>
}

export interface ApiDocument {
  info: { version: string; description: string }
  security: Security
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
    responses: Readonly<Record<string, Response>>
  }
}

/** An operation in the description, with its references to parameters and responses resolved. */
export interface ApiOperation {
  id: string
  method: string
  path: string
  feature: string
  summary: string
  description: string | null
  /** Credentials that the operation accepts: `key`, `session`; empty if it is public. */
  signed_in_by: readonly string[]
  parameters: readonly Parameter[]
  body: Content | null
  responses: readonly (readonly [status: string, Response])[]
}

/** Every operation in the order of the document, with the operator's operations last. */
export const operationsOf = ({ paths, components, security }: ApiDocument): ApiOperation[] =>
  Object.entries(paths)
    .toSorted(([a], [b]) => Number(a.startsWith('/operator/')) - Number(b.startsWith('/operator/')))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        feature: described.tags[0] ?? '',
        summary: described.summary,
        description: described.description ?? null,
        signed_in_by: (described.security ?? security).flatMap((each) => Object.keys(each)),
        parameters: (described.parameters ?? []).map((each) => components.parameters[nameOf(each.$ref)] ?? each),
        body: described.requestBody?.content ?? null,
        responses: Object.entries(described.responses).map(([status, each]): [string, Response] => [
          status,
          components.responses[nameOf(each.$ref)] ?? each,
        ]),
      })),
    )

const nameOf = (reference: string | undefined): string => reference?.split('/').at(-1) ?? ''

/** A schema with its reference resolved, and a single alternative merged into it. */
export interface Shape extends Omit<Schema, '$ref' | 'allOf' | 'anyOf' | 'oneOf'> {
  /** Name of a shared schema: `PortOrder`. */
  name: string | null
  nullable: boolean
  /** The alternatives, if there are several, without null. */
  choices: readonly Shape[]
}

/** The form of the values that a schema allows. */
export function shapeOf(document: ApiDocument, schema: Schema): Shape {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  if ($ref !== undefined) {
    const name = nameOf($ref)
    const shape = shapeOf(document, document.components.schemas[name] ?? {})
    // a component that is another one or null has the name of that one
    return { ...shape, ...own, name: shape.name ?? name }
  }
  if (allOf?.length === 1 && allOf[0] !== undefined) return { ...shapeOf(document, allOf[0]), ...own }
  const choices = anyOf ?? oneOf ?? []
  const some = choices.filter(({ type }) => type !== 'null').map((each) => shapeOf(document, each))
  const nullable = some.length < choices.length || some.some((each) => each.nullable)
  if (some.length === 1 && some[0] !== undefined) return { ...some[0], ...own, nullable }
  const types = [own.type ?? []].flat()
  return {
    ...own,
    type: types.filter((each) => each !== 'null'),
    name: null,
    nullable: nullable || types.includes('null'),
    // flattens nested alternatives
    choices: some.flatMap((each) => (each.choices.length > 0 && each.properties === undefined ? each.choices : [each])),
  }
}

/** A field of a body. */
export interface Field {
  name: string
  required: boolean
  shape: Shape
}

/** The fields of an object, or of the objects in a list. */
export function fieldsOf(document: ApiDocument, shape: Shape): Field[] {
  const { properties, required = [], items, additionalProperties } = shape
  if (items !== undefined) return fieldsOf(document, shapeOf(document, items))
  if (properties === undefined && typeof additionalProperties === 'object')
    return fieldsOf(document, shapeOf(document, additionalProperties))
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    shape: shapeOf(document, schema),
  }))
}

/** The body of a request. */
export interface RequestBody {
  media: string
  /** The fields to fill in; null for a file. */
  shape: Shape | null
  /** The JSON:API envelope around the fields: its type, and whether it is required. */
  envelope: { type: string; required: boolean } | null
}

export function requestBodyOf(document: ApiDocument, { body }: ApiOperation): RequestBody | null {
  if (body === null) return null
  const schema = body['application/json']?.schema
  if (schema === undefined) return { media: Object.keys(body)[0] ?? '', shape: null, envelope: null }
  const json = document.components.schemas[nameOf(schema.$ref)] ?? schema
  const media = 'application/json'
  const [wrapped, flat] = json.oneOf?.length === 2 ? json.oneOf : [json]
  const data = wrapped?.properties?.['data']?.properties
  const type = data?.['type']?.const
  if (data?.['attributes'] === undefined || typeof type !== 'string')
    return { media, shape: shapeOf(document, json), envelope: null }
  return { media, shape: shapeOf(document, data['attributes']), envelope: { type, required: flat === undefined } }
}
