import { usage } from './failure.ts'
import type { Io } from './io.ts'
import { formats, type Format } from './output.ts'
import type { Option } from './verb.ts'

/** Options that every command accepts, before or after its words. */
export const globalOptions: readonly Option[] = [
  { name: 'json', summary: 'Print one JSON document; errors are JSON on standard error' },
  { name: 'ndjson', summary: 'Print one JSON object per line' },
  { name: 'csv', summary: 'Print comma-separated values with a header' },
  { name: 'ids', summary: 'Print only IDs, one per line' },
  { name: 'table', summary: 'Print a table, even to a pipe' },
  { name: 'fields', value: 'names', summary: 'Only these fields, separated by commas' },
  { name: 'profile', value: 'name', summary: 'Use this profile instead of the environment or the current one' },
  { name: 'account', value: 'id', summary: 'The account to act for, with an operator key' },
  { name: 'yes', summary: 'Answer yes to every prompt' },
]

export interface Globals {
  format: Format
  fields: readonly string[] | null
  profile: string | undefined
  account_id: string | undefined
  yes: boolean
}

/** Reads the global options. The default format is a table on a terminal and plain lines in a pipe. */
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
    throw usage('--account', `Must be an account ID, not ${account_id}.`)
  return { format, fields: fields ?? null, profile: text('profile'), account_id, yes: options['yes'] === true }
}

/** Whether to print errors as JSON, even if the command line is invalid. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === '--json' || word === '--ndjson')
}
