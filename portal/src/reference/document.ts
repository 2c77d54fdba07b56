import { fieldsOf, shapeOf, type ApiDocument, type ApiOperation, type Field, type Shape } from '@demarc/client/rules'
import { queryOptions } from '@tanstack/react-query'
import { readPath } from '../api.ts'

/** Text and order of the API description in the reference. */

/** Operations whose name, path, or summary contains every word of the text. */
export function found(operations: readonly ApiOperation[], text: string): ApiOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/** Fields in display order: required first, read-only last. */
export function orderedFields(document: ApiDocument, shape: Shape): Field[] {
  const position = ({ required, shape: { readOnly = false } }: Field) => (readOnly ? 2 : required ? 0 : 1)
  return fieldsOf(document, shape).toSorted((a, b) => position(a) - position(b))
}

/** The type of a value as text: `string`, `list of integer`, `"host", "number"`. */
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

/** The limits of a value as text. */
export function limitsOf({ minLength, maxLength, minItems, maxItems, minimum, maximum, ...shape }: Shape): string[] {
  return [
    ...between(minLength, maxLength, 'characters'),
    ...between(minItems, maxItems, 'entries'),
    ...between(minimum, maximum, ''),
    ...('default' in shape ? [`${JSON.stringify(shape.default)} by default`] : []),
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

/** Features of the API description, named as in the portal. */
const names: Readonly<Record<string, string>> = {
  numbers: 'Numbers',
  routes: 'Voice routes and edge strategies',
  cnams: 'Caller ID',
  e911s: 'E911',
  portorders: 'Port orders',
  cdrs: 'Call records',
  notifications: 'Webhooks',
  accounts: 'Accounts and keys',
  people: 'People',
  health: 'Health',
}

/** In display order: what customers do comes first. */
export const featureNames: readonly (readonly [feature: string, name: string])[] = Object.entries(names)

/** Who may send a request, by the operation's sign-in methods. */
export function signedInText(by: readonly string[]): string {
  if (by.includes('key')) return by.includes('session') ? 'An access key or a person’s session' : 'An access key'
  return by.includes('session') ? 'A person’s session only' : 'Anyone'
}

/** The OpenAPI description, as the service that the page came from serves it: it does not change while that runs. */
export const apiDescription = queryOptions({
  queryKey: ['openapi.json'],
  staleTime: Infinity,
  // the path has nothing else, and a test compares it with the operations
  queryFn: async ({ signal }) => (await readPath('/openapi.json', signal)) as ApiDocument,
})
