import { openapi, type Operation } from '@demarc/client'

/** The fields of an operation, read from its OpenAPI description: what its options are made from. */

export interface Field {
  /** `street_number`; of an inner object `presets.alias`. */
  name: string
  kind: 'text' | 'integer' | 'number' | 'boolean' | 'json'
  many: boolean
  required: boolean
  nullable: boolean
  choices: readonly string[]
  description: string
  max: number | null
}

export interface OperationFields {
  query: readonly Field[]
  body: readonly Field[]
  /** `data.type` of the envelope; null for a plain body. */
  envelope: string | null
}

interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  description?: string
  maximum?: number
  readOnly?: boolean
  example?: unknown
  examples?: readonly unknown[]
}

interface Described {
  parameters?: readonly { name?: string; in?: string; description?: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Readonly<Record<string, { schema?: Schema }>> }
}

export function fieldsOf(operation: Operation): OperationFields {
  // the shape of an OpenAPI document that this package made itself
  const document = openapi({ [operation.id]: operation }, { version: '', server_url: '' }) as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Readonly<Record<string, Schema>> }
  }
  const described = document.paths[operation.path]?.[operation.method.toLowerCase()]
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema
  const query = (described?.parameters ?? [])
    .filter((each) => each.in === 'query')
    .map(({ name = '', description, required = false, schema }) =>
      fieldOf(name, { ...schema, ...(description ? { description } : {}) }, required, resolve),
    )
  const schema = Object.values(described?.requestBody?.content ?? {})[0]?.schema
  return { query, ...bodyOf(schema, resolve) }
}

type Resolve = (schema: Schema) => Schema

function bodyOf(given: Schema | undefined, resolve: Resolve): Pick<OperationFields, 'body' | 'envelope'> {
  if (!given) return { body: [], envelope: null }
  const schema = resolve(given)
  const wrapped = resolve(schema.oneOf?.[0] ?? schema)
  const data = wrapped.properties?.['data']
  const attributes = data ? resolve(data).properties?.['attributes'] : undefined
  if (!data || !attributes) return { body: membersOf(schema, resolve), envelope: null }
  const type = resolve(data).properties?.['type']?.const
  return { body: membersOf(resolve(attributes), resolve), envelope: typeof type === 'string' ? type : null }
}

/** The members that can be given; those of an inner object one by one. */
function membersOf(schema: Schema, resolve: Resolve, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    if (given.readOnly) return []
    const required = prefix === '' && (schema.required ?? []).includes(name)
    const member = plain(given, resolve).schema
    if (prefix === '' && member.properties) return membersOf(member, resolve, `${name}.`)
    return [fieldOf(`${prefix}${name}`, given, required, resolve)]
  })
}

/** A schema without its null, and of several the last: numbers are also read as text, and text is what a shell has. */
function plain(given: Schema, resolve: Resolve): { schema: Schema; nullable: boolean } {
  const schema = resolve(given)
  const types = [schema.type ?? []].flat()
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map(resolve)
  const nullable = types.includes('null') || choices.some((each) => each.type === 'null')
  const last = choices.findLast((each) => each.type !== 'null')
  if (!last) return { schema, nullable }
  const inner = plain(last, resolve)
  const description = schema.description ?? inner.schema.description
  return {
    schema: { ...inner.schema, ...(description === undefined ? {} : { description }) },
    nullable: nullable || inner.nullable,
  }
}

function fieldOf(name: string, given: Schema, required: boolean, resolve: Resolve): Field {
  const { schema, nullable } = plain(given, resolve)
  const [type] = [schema.type ?? []].flat().filter((each) => each !== 'null')
  const entries = type === 'array' ? plain(schema.items ?? {}, resolve).schema : schema
  const of = type === 'array' ? [entries.type ?? []].flat()[0] : type
  return {
    name,
    kind: kindOf(of),
    many: type === 'array' && of !== 'object',
    required,
    nullable,
    choices: (entries.enum ?? []).filter((each) => typeof each === 'string'),
    description: schema.description ?? entries.description ?? '',
    max: schema.maximum ?? null,
  }
}

function kindOf(type: string | undefined): Field['kind'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  return type === 'object' || type === 'array' ? 'json' : 'text'
}
