import type { Context } from '../context.ts'
import { usage } from '../failure.ts'
import type { Input } from '../input.ts'
import { readBytes } from '../io.ts'
import { isObject } from '../item.ts'
import type { Verb } from '../verb.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const api: Verb = {
  name: 'api',
  summary: 'Send any request to the API',
  description:
    'Prints the response unchanged, except that JSON is indented on a terminal. -f sends text and -F sends JSON values: in the query for GET, in the body for other methods. Dots in a name make nested objects, and a trailing [] makes a list.',
  arguments: [
    { name: 'method', summary: `One of ${methods.join(', ')}`, complete: methods },
    { name: 'path', summary: 'Path, such as /v2/numbers' },
  ],
  options: [
    { name: 'field', short: 'f', value: 'name=value', summary: 'A field as text', many: true },
    {
      name: 'json-field',
      short: 'F',
      value: 'name=json',
      summary: 'A field as JSON: true, 5, null, ["a"]',
      many: true,
    },
    { name: 'input', value: 'file', summary: 'File with the body; - is standard input' },
    { name: 'header', short: 'H', value: 'name:value', summary: 'A header', many: true },
  ],
  examples: [
    'api GET /v2/numbers -f limit=5',
    'api POST /v2/cnams -f value="ACME CO"',
    'api PATCH /v2/portorders/7 -f presets.alias=Ported',
    'api PUT /v2/portorders/7/files/bill.pdf --input bill.pdf -H content-type:application/pdf',
  ],
  async run(context, input) {
    const response = await request(context, input)
    if (!response.ok) {
      const { refusalOf } = await import('../refusals.ts')
      throw await refusalOf(response, input.command)
    }
    await show(context, response)
  },
}

async function request(context: Context, input: Input): Promise<Response> {
  const { url: base, credentials } = await context.connection()
  const method = methodOf(input.argument('method'))
  const url = urlOf(base, input.argument('path'))
  const fields = fieldsOf(input)
  const file = input.text('input')
  const in_body = method !== 'GET' && fields.length > 0
  if (in_body && file !== undefined) throw usage('--input', 'Cannot be used together with -f and -F.')
  if (method === 'GET') for (const [name, value] of fields) url.searchParams.append(name, queryText(value))
  const body =
    file === undefined ? (in_body ? JSON.stringify(objectOf(fields)) : null) : await readBytes(context.io, file)
  const headers = new Headers({
    accept: 'application/vnd.api+json, application/json, */*;q=0.5',
    ...(credentials ? { authorization: `Basic ${btoa(`${credentials.access_key}:${credentials.secret_key}`)}` } : {}),
    ...(context.account_id === undefined ? {} : { 'demarc-account': context.account_id }),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  })
  for (const header of input.texts('header')) setHeader(headers, header)
  return fetch(url, { method, headers, signal: context.signal, ...(body === null ? {} : { body }) })
}

function methodOf(text: string): string {
  const method = text.toUpperCase()
  if (methods.some((each) => each === method)) return method
  throw usage('method', `Must be one of ${methods.join(', ')}, not ${text}.`)
}

/** Only a path: a whole URL could send the key somewhere else. */
function urlOf(base: string, path: string): URL {
  const url = path.startsWith('/') ? new URL(base + path) : null
  if (url === null || url.host !== new URL(base).host)
    throw usage('path', `Must be a path such as /v2/numbers, not ${path}.`)
  return url
}

type Fields = readonly (readonly [string, unknown])[]

function fieldsOf(input: Input): Fields {
  const split = (option: string, text: string): [string, string] => {
    const at = text.indexOf('=')
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
    throw usage(option, `Must be name=value, not ${text}.`)
  }
  return [
    ...input.texts('field').map((text) => split('-f', text)),
    ...input.texts('json-field').map((text): [string, unknown] => {
      const [name, value] = split('-F', text)
      return [name, jsonOf(name, value)]
    }),
  ]
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw usage('-F', `${name} must be JSON, such as true, 5 or "text", not ${text}.`)
    throw error
  }
}

const queryText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The body: names with dots are nested objects, names that end in [] are lists. */
function objectOf(fields: Fields): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, value] of fields) {
    const steps = name.replace(/\[\]$/, '').split('.')
    const last = steps.pop() ?? ''
    let at = body
    for (const step of steps) {
      const inner = at[step]
      const next: Record<string, unknown> = isObject(inner) ? inner : {}
      at[step] = next
      at = next
    }
    const present = at[last]
    at[last] = name.endsWith('[]') ? [...(Array.isArray(present) ? present : []), value] : value
  }
  return body
}

function setHeader(headers: Headers, text: string): void {
  const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined) throw usage('-H', `Must be name:value, not ${text}.`)
  headers.set(name, value)
}

async function show({ output, io }: Context, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const indented = output.format === 'json' || output.format === 'ndjson' || io.stdout.isTTY === true
  if (/json/.test(type) && indented) {
    const text = await response.text()
    return output.json(text === '' ? null : JSON.parse(text))
  }
  if (response.status === 204 && output.format === 'json') return output.json(null)
  for await (const chunk of response.body ?? []) await output.bytes(chunk)
  if (/json/.test(type)) await output.bytes('\n')
}
