import { shellQuoted } from '../ui/text.ts'
import { commands } from './commands.ts'
import {
  requestBodyOf,
  shapeOf,
  type ApiDocument,
  type ApiOperation,
  type RequestBody,
  type Schema,
  type Shape,
} from '@demarc/client/rules'
import { orderedFields } from './document.ts'

/** Example requests, with placeholder values. */

/** Placeholder for text that the reader fills in. */
const filled_in = '…'
/** A number of the demo cast. */
const demo_number = '12065550100'

/** A value that the schema allows, or a placeholder. */
function sampleOf(document: ApiDocument, shape: Shape, name: string): unknown {
  const [example] = shape.examples ?? []
  if (example !== undefined) return example
  if ('const' in shape) return shape.const
  if (shape.enum !== undefined) return shape.enum[0]
  const [choice] = shape.choices
  if (choice !== undefined) return sampleOf(document, choice, name)
  if (shape.items !== undefined) return [sampleOf(document, shapeOf(document, shape.items), name)]
  if (shape.properties !== undefined) return sampleFields(document, shape)
  return sampleOfType([shape.type ?? []].flat()[0], shape.format, name)
}

function sampleOfType(type: string | undefined, format: string | undefined, name: string): unknown {
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'object') return {}
  if (format === 'date') return '2026-12-01'
  if (format === 'date-time') return '2026-12-01T00:00:00Z'
  if (name.endsWith('url')) return 'https://example.com/demarc'
  return filled_in
}

/** The required fields; if there are none, the first optional one. */
function sampleFields(document: ApiDocument, shape: Shape): Record<string, unknown> {
  const fields = orderedFields(document, shape).filter(
    (each) => shape.items === undefined && each.shape.readOnly !== true,
  )
  const needed = fields.filter(({ required }) => required)
  const shown = needed.length > 0 ? needed : fields.slice(0, 1)
  return Object.fromEntries(shown.map((each) => [each.name, sampleOf(document, each.shape, each.name)]))
}

/** The body of a request as JSON; null without a body or for a file. */
export function sampleBody(document: ApiDocument, { shape, envelope }: RequestBody): unknown {
  if (shape === null) return null
  const sample = sampleOf(document, shape, '')
  return envelope?.required ? { data: { type: envelope.type, attributes: sample } } : sample
}

function sampleParameter(name: string, schema: Schema): string {
  const first = schema.enum?.[0]
  return name === 'number' ? demo_number : typeof first === 'string' ? first : '1042'
}

const paramsOf = ({ parameters }: ApiOperation) =>
  parameters
    .filter((each) => each.in === 'path')
    .map(({ name, schema }) => [name, sampleParameter(name, schema)] as const)

/** The request with example values: its path, and its body as JSON; null without a body, empty for a file. */
export function exampleRequest(document: ApiDocument, operation: ApiOperation): ExampleRequest {
  const body = requestBodyOf(document, operation)
  return {
    path: paramsOf(operation).reduce((text, [name, value]) => text.replace(`{${name}}`, value), operation.path),
    media: body?.media ?? null,
    body: body === null ? null : body.shape === null ? '' : jsonText(sampleBody(document, body)),
  }
}

interface ExampleRequest {
  path: string
  media: string | null
  body: string | null
}

/** The request with curl. `origin` is the service's. */
export function curlExample(document: ApiDocument, operation: ApiOperation, origin: string): string {
  const { method, signed_in_by } = operation
  const { path, media, body } = exampleRequest(document, operation)
  const sent =
    body === null
      ? []
      : [`-H ${shellQuoted(`Content-Type: ${media}`)}`, body === '' ? '--data-binary @FILE' : `-d ${shellQuoted(body)}`]
  return [
    signed_in_by.includes('key') ? 'curl -u "$DEMARC_ACCESS_KEY:$DEMARC_SECRET_KEY"' : 'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(signed_in_by.includes('key') || !signed_in_by.includes('session') ? [] : sessionHeaders(method, origin)),
    ...sent,
    shellQuoted(origin + path),
  ].join(' \\\n  ')
}

/** Longest JSON that stays on one line. */
const one_line = 70

function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length > one_line ? JSON.stringify(value, null, 2) : line
}

const sessionHeaders = (method: string, origin: string): string[] => [
  // over TLS, the cookie's name has the prefix that binds it to the host
  `-b "${origin.startsWith('https:') ? '__Host-' : ''}demarc_session=$DEMARC_SESSION"`,
  ...(method === 'GET' ? [] : ['-H "Demarc-CSRF: $DEMARC_CSRF_TOKEN"']),
]

/** The request with the typed client. */
export function clientExample(document: ApiDocument, operation: ApiOperation): string {
  const body = requestBodyOf(document, operation)
  const params = paramsOf(operation).map(([name, value]) => `${name}: ${quoted(value)}`)
  const input = [
    ...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []),
    ...(body === null
      ? []
      : body.shape === null
        ? ['body: file', `content_type: ${quoted(body.media)}`]
        : [`body: ${literal(sampleOf(document, body.shape, ''))}`]),
  ]
  return `const { body } = await client.${operation.id}(${input.length === 0 ? '' : `{ ${input.join(', ')} }`})`
}

/** The equivalent command; null for operations that only people use. */
export const commandExample = ({ id }: ApiOperation): string | null => commands[id] ?? null

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** A value as TypeScript source. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${/^[a-z_]\w*$/i.test(name) ? name : quoted(name)}: ${literal(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
