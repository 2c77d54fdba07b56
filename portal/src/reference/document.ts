/**
 * What the reference reads of the OpenAPI description that the service serves: operations by feature, and the fields of their
 * bodies as rows.
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
  description: string
  content?: Content
  'x-problems'?: readonly string[]
}

interface Described {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Readonly<Record<string, unknown>>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, Response>>
}

export interface ApiDocument {
  info: { version: string; description: string }
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
  }
}

/** An operation with everything that its page says of it, references to parameters resolved. */
export interface ApiOperation {
  id: string
  method: string
  path: string
  feature: string
  summary: string
  description: string | null
  /** By what a request may be signed in: `key`, `session`; neither where anybody may ask. */
  signed_in_by: readonly string[]
  parameters: readonly Parameter[]
  body: Content | null
  responses: readonly (readonly [status: string, Response])[]
}

/** Every operation; those of the operator after those of account holders, otherwise in the order of the document. */
export const operationsOf = (document: ApiDocument): ApiOperation[] =>
  Object.entries(document.paths)
    .toSorted(([a], [b]) => Number(a.startsWith('/operator/')) - Number(b.startsWith('/operator/')))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        feature: described.tags[0] ?? '',
        summary: described.summary,
        description: described.description ?? null,
        signed_in_by: described.security.flatMap((each) => Object.keys(each)),
        parameters: (described.parameters ?? []).map((each) => resolvedParameter(document, each)),
        body: described.requestBody?.content ?? null,
        responses: Object.entries(described.responses),
      })),
    )

const resolvedParameter = ({ components }: ApiDocument, parameter: Parameter): Parameter =>
  components.parameters[nameOf(parameter.$ref)] ?? parameter

const nameOf = (reference: string | undefined): string => reference?.split('/').at(-1) ?? ''

/** Operations whose name, path or summary has every word of the text. */
export function found(operations: readonly ApiOperation[], text: string): ApiOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/** A schema with its reference followed, and what is written around one choice put into it. */
export interface Shape extends Omit<Schema, '$ref' | 'allOf' | 'anyOf' | 'oneOf'> {
  /** Of a shared schema: `PortOrder`. */
  name: string | null
  nullable: boolean
  /** What it may be, where there is more than one; null is not among them. */
  choices: readonly Shape[]
}

/** What a schema says of a value. */
export function shapeOf(document: ApiDocument, schema: Schema): Shape {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  if ($ref !== undefined) {
    const name = nameOf($ref)
    return { ...shapeOf(document, document.components.schemas[name] ?? {}), ...own, name }
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
    // a choice between choices is one choice
    choices: some.flatMap((each) => (each.choices.length > 0 && each.properties === undefined ? each.choices : [each])),
  }
}

/** A field of a body. */
export interface Field {
  name: string
  required: boolean
  shape: Shape
}

/** The fields of an object, or of the objects of a list; those that have to be sent first, those that are only read last. */
export function fieldsOf(document: ApiDocument, shape: Shape): Field[] {
  const { properties, required = [], items, additionalProperties } = shape
  if (items !== undefined) return fieldsOf(document, shapeOf(document, items))
  if (properties === undefined && typeof additionalProperties === 'object')
    return fieldsOf(document, shapeOf(document, additionalProperties))
  const fields = Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    shape: shapeOf(document, schema),
  }))
  const place = ({ required: needed, shape: { readOnly = false } }: Field) => (readOnly ? 2 : needed ? 0 : 1)
  return fields.toSorted((a, b) => place(a) - place(b))
}

/** What a value is, in a few words: `text`, `list of whole numbers`, `"host" or "number"`. */
export function typeText(document: ApiDocument, shape: Shape): string {
  const text = plainTypeText(document, shape)
  return shape.nullable ? `${text} or null` : text
}

function plainTypeText(document: ApiDocument, shape: Shape): string {
  const { type, choices, items, format, additionalProperties, properties } = shape
  if ('const' in shape) return JSON.stringify(shape.const)
  if (shape.enum !== undefined) return shape.enum.map((each) => JSON.stringify(each)).join(', ')
  if (choices.length > 0) return [...new Set(choices.map((each) => typeText(document, each)))].join(' or ')
  if (items !== undefined) return `list of ${plainTypeText(document, shapeOf(document, items))}`
  if (properties === undefined && typeof additionalProperties === 'object')
    return `object of ${plainTypeText(document, shapeOf(document, additionalProperties))} by name`
  const types = [type ?? []].flat().map((each) => (each === 'string' && format !== undefined ? format : each))
  return types.join(' or ') || 'anything'
}

/** The limits of a value, each in a few words. */
export function limitsOf({ minLength, maxLength, minItems, maxItems, minimum, maximum, ...shape }: Shape): string[] {
  return [
    ...between(minLength, maxLength, 'characters'),
    ...between(minItems, maxItems, 'entries'),
    // those of JavaScript's whole numbers say nothing
    ...between(
      minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
      maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
      '',
    ),
    ...('default' in shape ? [`${JSON.stringify(shape.default)} unless given`] : []),
    ...(shape.pattern !== undefined && shape.format === undefined && shape.name === null
      ? [`matches ${shape.pattern}`]
      : []),
  ]
}

function between(least: number | undefined, most: number | undefined, unit: string): string[] {
  const words = unit === '' ? '' : ` ${unit}`
  if (least !== undefined && most !== undefined)
    return [least === most ? `exactly ${most}${words}` : `${least} to ${most}${words}`]
  if (most !== undefined) return [`at most ${most}${words}`]
  return least === undefined || (least === 0 && unit !== '') ? [] : [`at least ${least}${words}`]
}
