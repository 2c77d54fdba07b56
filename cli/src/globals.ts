import { usage } from './failure.ts'
import type { Io } from './io.ts'
import { formats, type Format } from './output.ts'
import type { Option } from './verb.ts'

/** Options that every command has, before or after its words. */
export const globalOptions: readonly Option[] = [
  { name: 'json', summary: 'One JSON document; errors too, on standard error' },
  { name: 'ndjson', summary: 'One JSON object on each line' },
  { name: 'csv', summary: 'Comma-separated values with a header' },
  { name: 'ids', summary: 'Ids only, one on each line' },
  { name: 'table', summary: 'A table, also when it is piped' },
  { name: 'fields', value: 'names', summary: 'Only these fields, with commas between them' },
  { name: 'profile', value: 'name', summary: 'Use this profile instead of the environment or the current one' },
  { name: 'account', value: 'id', summary: 'With an operator key: the account to act for' },
  { name: 'yes', summary: 'Answer every question with yes' },
]

export interface Globals {
  format: Format
  fields: readonly string[] | null
  profile: string | undefined
  account_id: string | undefined
  yes: boolean
}

/** Reads them from what the parser found. A terminal shows a table, a pipe gets plain lines. */
export function globalsOf(io: Io, options: Readonly<Record<string, unknown>>): Globals {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const chosen = formats.filter((format) => options[format] === true)
  const [format = io.stdout.isTTY === true ? 'table' : 'plain', other] = chosen
  if (other) throw usage(`--${other}`, `Cannot be used together with --${format}.`)
  const fields = text('fields')
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (fields?.length === 0) throw usage('--fields', 'Must name at least one field.')
  const account_id = text('account')
  if (account_id !== undefined && !/^\d{1,18}$/.test(account_id))
    throw usage('--account', `Must be the id of an account, not ${account_id}.`)
  return { format, fields: fields ?? null, profile: text('profile'), account_id, yes: options['yes'] === true }
}

/** Whether errors are to be JSON, also when the command line itself cannot be read. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === '--json' || word === '--ndjson')
}
