import type { Operation } from '@demarc/client'
import type { Context } from './context.ts'
import { usage } from './failure.ts'
import { operationFields, type Field, type OperationFields } from './fields.ts'
import type { Input } from './input.ts'
import { isObject, itemsOf } from './item.ts'
import { listItems } from './list.ts'
import { readData } from './data.ts'
import type { Item } from './output.ts'
import { sendForHeaders } from './send.ts'
import { textOf } from './table.ts'
import { shared, type Argument, type Completion, type OperationName, type Option, type Verb } from './verb.ts'

/**
 * A verb for one operation. Path parameters become arguments; filters and body fields become options; the response becomes the
 * output. The declaration overrides derived text that reads badly.
 */

export interface FieldOption {
  /** The option's name; by default the field's name with dashes. */
  option?: string
  summary?: string
  value?: string
  choices?: readonly string[]
  complete?: Completion
}

export interface PlainOptions {
  summary?: string
  description?: string
  examples: readonly string[]
  /** Columns of the table; other formats have every field. */
  columns?: readonly string[]
  /** Arguments for the path parameters, with their descriptions. */
  arguments?: Readonly<Record<string, Omit<Argument, 'name'> & { name?: string }>>
  fields?: Readonly<Record<string, FieldOption>>
  /** The operation with the body's fields, if this one's description leaves them open. */
  like?: Operation
  /** Fields that aren't offered as options. */
  without?: readonly string[]
  /** Additional options for `body` and `query`. */
  options?: readonly Option[]
  /** Constant members of the body. */
  members?: Item
  /** Builds the whole body, if it doesn't come from fields and --data. */
  body?: (input: Input, context: Context) => unknown
  /** A question before anything is sent: deleting, revoking, canceling. */
  question?: (input: Input) => string
  /** The message after a change without a document. */
  done?: (input: Input, item: Item) => string
  /** Facts from the headers of a response without a document, shown in every output format. */
  facts?: (headers: Headers) => Item
  /** For --if-not-exists: the list to search, and the fields that identify an existing entry. */
  existing?: { list: Operation; by: readonly string[] }
}

type ArgumentOptions = Pick<PlainOptions, 'arguments'>

export function plain(name: string, operation: Operation, options: PlainOptions): Verb {
  return {
    name,
    summary: options.summary ?? operation.summary,
    description: [options.description ?? operation.description].filter(Boolean).join('\n\n'),
    operations: [operationName(operation)],
    arguments: argumentsOf(operation, options),
    options: () => optionsFrom(operation, options),
    examples: options.examples,
    run: (context, input) => runPlain(operation, options, context, input),
  }
}

/** The client's methods have the ids of the operations as their names. */
export const operationName = (operation: Operation): OperationName => operation.id as OperationName

const pathNames = ({ path }: Operation): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/**
 * On an operator's path the account is `--account`, so that all such verbs look the same. Verbs about accounts take it as an
 * argument.
 */
const isAccountOption = (operation: Operation, name: string): boolean =>
  name === 'account_id' && !operation.path.endsWith('/accounts/{account_id}')

export function argumentsOf(operation: Operation, { arguments: overrides = {} }: ArgumentOptions): Argument[] {
  return pathNames(operation)
    .filter((name) => !isAccountOption(operation, name))
    .map((name) => {
      const {
        name: shown = name.replace(/_id$/, '').replaceAll('_', '-'),
        summary,
        ...rest
      } = overrides[name] ?? { summary: '' }
      return { ...rest, name: shown, summary: summary || `ID of the ${shown}` }
    })
}

/** Query parameters that have their own option, or none. */
const handled = new Set(['limit', 'account_id'])

const offered = (fields: readonly Field[], { without = [] }: PlainOptions): Field[] =>
  fields.filter(({ name }) => !handled.has(name) && !without.includes(name))

/** The fields, including those of the body of the similar operation. */
function fieldsFor(operation: Operation, { like }: PlainOptions): OperationFields {
  const own = operationFields(operation)
  return like ? { ...own, ...bodyFields(operationFields(like)) } : own
}

/** A change has no required fields, even if a new record does. */
const bodyFields = ({ body, envelope }: OperationFields): Omit<OperationFields, 'query'> => ({
  body: body.map((field) => ({ ...field, required: false })),
  envelope,
})

function optionsFrom(operation: Operation, options: PlainOptions): Option[] {
  const { query, body } = fieldsFor(operation, options)
  const from = (fields: readonly Field[]) => offered(fields, options).map((field) => optionOf(field, options))
  return [
    ...from(query),
    ...(query.some(({ name }) => name === 'limit') ? [shared.limit] : []),
    ...(options.body ? [] : from(body)),
    ...(body.length > 0 && !options.body ? [shared.data] : []),
    ...(options.options ?? []),
    ...(options.existing ? [shared.if_not_exists] : []),
    ...(operation.method === 'GET' || operation.effect === 'read' ? [] : [shared.dry_run]),
  ]
}

/** Longer lists of values are left out of the help. The shell still offers them, and the service validates them. */
const listed_choices_max = 12

function optionOf(field: Field, { fields = {} }: PlainOptions): Option {
  const override = fields[field.name] ?? {}
  const choices = override.choices ?? (field.kind === 'boolean' ? ['true', 'false'] : field.choices)
  const complete = override.complete ?? (choices.length > 0 ? choices : undefined)
  return {
    name: override.option ?? optionName(field.name),
    value: override.value ?? (field.kind === 'boolean' ? 'true|false' : valueName(field)),
    summary: `${override.summary ?? summaryOf(field)}${field.required ? ' (required)' : ''}`,
    ...(field.kind !== 'boolean' && choices.length > 0 && choices.length <= listed_choices_max ? { choices } : {}),
    ...(field.many ? { many: true } : {}),
    ...(complete ? { complete } : {}),
  }
}

const optionName = (field: string): string => field.replaceAll(/[._]/g, '-')

function valueName({ name, kind }: Field): string {
  if (kind === 'json') return 'json'
  if (kind === 'integer' || kind === 'number') return 'number'
  return name.endsWith('_id') ? 'id' : 'text'
}

function summaryOf({ name, description, required, nullable }: Field): string {
  const words = name.replaceAll(/[._]/g, ' ').replace(/ id$/, '')
  const first = description === '' ? words.charAt(0).toUpperCase() + words.slice(1) : description.replace(/\.$/, '')
  return `${first}${nullable && !required ? "; '' removes it" : ''}`
}

async function runPlain(operation: Operation, options: PlainOptions, context: Context, input: Input): Promise<void> {
  const fields = fieldsFor(operation, options)
  const params = paramsOf(operation, options, context, input)
  const query = queryOf(fields.query, options, context, input)
  if (fields.query.some(({ name }) => name === 'limit')) {
    const request = { params, query, page_max: fields.query.find(({ name }) => name === 'limit')?.max ?? null }
    return context.output.list(listItems(context, operation, request, input.integer('limit', 1)), options.columns)
  }
  const body = options.body ? options.body(input, context) : await requestBody(operation, options, context, input)
  const request = { params, query, ...(body === undefined ? {} : { body }) }
  if (input.flag('dry-run')) return context.output.item(drafted(operation, request))
  if (input.flag('if-not-exists') && (await showExisting(options, context, body))) return
  if (options.question) await context.confirm(options.question(input))
  const { body: response, headers } = await sendForHeaders(context, operation, request)
  const items = itemsOf(response)
  const [first] = items
  if (Array.isArray(Object(response).data)) return context.output.list(items, options.columns)
  if (first) return context.output.item(first)
  if (isObject(response)) return context.output.item(response)
  const item = { ...params, result: 'done', ...options.facts?.(headers) }
  return context.output.done(options.done?.(input, item) ?? 'Done.', item)
}

export function paramsOf(
  operation: Operation,
  options: PlainOptions,
  context: Context,
  input: Input,
): Record<string, string> {
  const args = argumentsOf(operation, options)
  const names = pathNames(operation)
  let next = 0
  return Object.fromEntries(
    names.map((name) => {
      if (!isAccountOption(operation, name)) {
        const { name: shown = name, read = String } = args[next++] ?? {}
        return [name, read(input.argument(shown))]
      }
      if (context.account_id === undefined)
        throw usage(
          '--account',
          'Required.',
          'Set the account to act for. To list accounts, run `demarc account list`.',
        )
      return [name, context.account_id]
    }),
  )
}

/** Options for an operation's query, for verbs with a file as the body. */
export const queryOptions = (operation: Operation, options: PlainOptions): Option[] =>
  offered(operationFields(operation).query, options).map((field) => optionOf(field, options))

/** The query from those options. */
export const requestQuery = (operation: Operation, options: PlainOptions, context: Context, input: Input) =>
  queryOf(operationFields(operation).query, options, context, input)

function queryOf(fields: readonly Field[], options: PlainOptions, context: Context, input: Input) {
  const entries = offered(fields, options).flatMap((field): [string, string][] => {
    const value = input.text(optionOf(field, options).name)
    return value === undefined ? [] : [[field.name, value]]
  })
  const account = fields.some(({ name }) => name === 'account_id') ? context.account_id : undefined
  return { ...Object.fromEntries(entries), ...(account === undefined ? {} : { account_id: account }) }
}

/** The request body, for verbs that do more with it. */
export const requestBody = (operation: Operation, options: PlainOptions, context: Context, input: Input) =>
  bodyOf(fieldsFor(operation, options), options, context, input)

/** The body from --data with the options on top; undefined if the operation has none. */
async function bodyOf(
  fields: OperationFields,
  options: PlainOptions,
  context: Context,
  input: Input,
): Promise<unknown> {
  if (fields.body.length === 0) return undefined
  const file = input.text('data')
  const document = file === undefined ? {} : await readData(context.io, file)
  const chosen = offered(fields.body, options).flatMap((field): [string, unknown][] => {
    const name = optionOf(field, options).name
    if (field.many) return input.texts(name).length > 0 ? [[field.name, [...input.texts(name)]]] : []
    const value = input.text(name)
    return value === undefined ? [] : [[field.name, valueOf(field, value, name)]]
  })
  const values = [...chosen, ...Object.entries(options.members ?? {})]
  if (file === undefined && values.length === 0)
    throw usage(null, 'No fields to send.', `demarc ${input.command} --help lists the options; --data takes JSON.`)
  return merged(document, values, fields.envelope)
}

function valueOf({ kind, nullable }: Field, value: string, option: string): unknown {
  if (value === '' && nullable) return null
  if (kind === 'boolean') return booleanOf(value, option)
  if (kind === 'integer' || kind === 'number') {
    // decimals stay text, which is exact
    return /^-?\d{1,15}$/.test(value) ? Number(value) : value
  }
  if (kind !== 'json') return value
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) throw usage(`--${option}`, `Must be JSON: ${error.message}`)
    throw error
  }
}

function booleanOf(value: string, option: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw usage(`--${option}`, `Must be true or false, not ${value}.`)
}

/** Puts the values into the body at their names, which have a dot for an inner object. */
function merged(document: Item, values: readonly [string, unknown][], envelope: string | null): Item {
  const data = isObject(document['data']) ? document['data'] : null
  const attributes = data && isObject(data['attributes']) ? data['attributes'] : data ? {} : document
  const next: Record<string, unknown> = { ...attributes }
  for (const [name, value] of values) {
    const [outer = '', inner] = name.split('.')
    if (inner === undefined) next[outer] = value
    else next[outer] = { ...(isObject(next[outer]) ? next[outer] : {}), [inner]: value }
  }
  if (data) return { ...document, data: { ...data, attributes: next } }
  return envelope === null ? next : { data: { type: envelope, attributes: next } }
}

/** What would be sent, for --dry-run. */
const drafted = (
  operation: Operation,
  { params, query, body }: { params: Item; query: Item; body?: unknown },
): Item => ({
  method: operation.method,
  path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name]))),
  ...(Object.keys(query).length > 0 ? { query } : {}),
  ...(body === undefined ? {} : { body }),
})

/** Shows the item that is there already, for --if-not-exists; false when there is none. */
async function showExisting({ existing }: PlainOptions, context: Context, body: unknown): Promise<boolean> {
  if (!existing) return false
  const [wanted = {}] = itemsOf(isObject(body) && 'data' in body ? body : { data: { attributes: body } })
  const filters = operationFields(existing.list).query.map(({ name }) => name)
  const query = Object.fromEntries(
    existing.by
      .filter((name) => filters.includes(name) && wanted[name] !== undefined)
      .map((name) => [name, String(wanted[name])]),
  )
  const params = context.account_id === undefined ? {} : { account_id: context.account_id }
  for await (const item of listItems(context, existing.list, { params, query, page_max: 200 })) {
    if (!existing.by.every((name) => sameText(item[name], wanted[name]))) continue
    await context.remark('It already exists; nothing was changed.')
    await context.output.item(item)
    return true
  }
  return false
}

/** Equal regardless of case, since names are stored in a case of the service's own. */
const sameText = (one: unknown, other: unknown): boolean =>
  textOf(one).trim().toLowerCase() === textOf(other).trim().toLowerCase()
