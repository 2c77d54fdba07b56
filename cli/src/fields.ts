import { openapi, type Operation } from '@demarc/client'
import { fieldsOf, operationsOf, requestBodyOf, shapeOf, type ApiDocument, type Shape } from '@demarc/client/rules'

/** Turns the fields of an operation into command-line options. */

export interface Field {
  /** `street_number`, or `presets.alias` in a nested object. */
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

export function operationFields(operation: Operation): OperationFields {
  const document = documentOf(operation)
  const [described] = operationsOf(document)
  if (described === undefined) throw new Error(`${operation.id} has no description.`)
  const query = described.parameters
    .filter((each) => each.in === 'query')
    .map(({ name, description, required = false, schema }) => {
      const shape = shapeOf(document, schema)
      return fieldFrom(document, name, description === undefined ? shape : { ...shape, description }, required)
    })
  const body = requestBodyOf(document, described)
  return {
    query,
    body: body?.shape ? membersOf(document, body.shape) : [],
    envelope: body?.envelope?.type ?? null,
  }
}

/** `openapi` writes what ApiDocument reads. */
const documentOf = (operation: Operation): ApiDocument =>
  openapi({ [operation.id]: operation }, { version: '', server_url: '' }) as unknown as ApiDocument

/** The writable members, with each member of a nested object listed separately. */
const membersOf = (document: ApiDocument, shape: Shape): Field[] =>
  writable(document, shape).flatMap(({ name, shape: member, required }) =>
    textForm(member).properties
      ? writable(document, textForm(member)).map((each) =>
          fieldFrom(document, `${name}.${each.name}`, each.shape, false),
        )
      : [fieldFrom(document, name, member, required)],
  )

const writable = (document: ApiDocument, shape: Shape) =>
  shape.properties ? fieldsOf(document, shape).filter((each) => !each.shape.readOnly) : []

/** The last of several alternatives: numbers are also accepted as text, which is what a shell passes. */
const textForm = (shape: Shape): Shape => shape.choices.at(-1) ?? shape

function fieldFrom(document: ApiDocument, name: string, original: Shape, required: boolean): Field {
  const shape = textForm(original)
  const is_list = typeOf(shape) === 'array'
  const entries = is_list ? textForm(shapeOf(document, shape.items ?? {})) : shape
  const type = typeOf(entries)
  return {
    name,
    kind: kindOf(type),
    many: is_list && type !== 'object',
    required,
    nullable: original.nullable,
    choices: (entries.enum ?? []).filter((each) => typeof each === 'string'),
    description: original.description ?? shape.description ?? entries.description ?? '',
    max: shape.maximum ?? null,
  }
}

const typeOf = ({ type }: Shape): string | undefined => [type ?? []].flat()[0]

function kindOf(type: string | undefined): Field['kind'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  return type === 'object' || type === 'array' ? 'json' : 'text'
}
