import type { CdrFilterInput } from '@demarc/client'
import { DemarcError } from '@demarc/client/light'
import { shellQuoted } from '../ui/text.ts'
import { fields, type Field } from './fields.ts'
import { timesOf } from './period.ts'
import { filterNames, type CallRecordsSearch, type FilterName } from './search.ts'

/** Converts filters between the URL, the API, and the command line. */

const kindOf = (name: FilterName): Field['kind'] => fields[name].kind

/** The URL's filters in the API's form. The API validates the values. */
export function filterParameters(search: CallRecordsSearch, now: Date, zone: string): CdrFilterInput {
  const { start, end } = timesOf(search.period ?? '30d', now, zone)
  const times = { start_call_start_time: start, start_call_end_time: end }
  const set = filterNames.flatMap((name) => {
    const text = search[name]
    return text === undefined ? [] : [[name, valueOf(kindOf(name), text)] as const]
  })
  return Object.assign(times, Object.fromEntries(set))
}

function valueOf(kind: Field['kind'], text: string): unknown {
  if (kind === 'flag') return text === 'true'
  const separator = separatorOf(kind)
  if (separator === undefined) return text.trim()
  const entries = text.split(separator).map((each) => each.trim())
  const written = {
    numbers: (each: string) => each.replace(/[\s().-]/g, ''),
    countries: (each: string) => each.toUpperCase(),
  }
  const write = kind === 'numbers' || kind === 'countries' ? written[kind] : (each: string) => each
  return entries.map(write).filter((each) => each !== '')
}

const separatorOf = (kind: Field['kind']): RegExp | undefined =>
  kind === 'lines' ? /\n/ : kind === 'numbers' || kind === 'countries' ? /[,;\n]/ : undefined

/** An export's filters in the URL's form, to edit them. */
export function searchOf(parameters: Readonly<Record<string, unknown>>): CallRecordsSearch {
  const set = filterNames.flatMap((name) => {
    const value = parameters[name]
    const text = Array.isArray(value) ? value.join(kindOf(name) === 'lines' ? '\n' : ',') : textOf(value)
    if (text === '') return []
    return [[name, kindOf(name) === 'moment' ? isoText(text) : text] as const]
  })
  return Object.fromEntries(set)
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || value === true ? String(value) : ''

/** The API returns `2026-11-01 07:00:00` in UTC, which browsers would read as local time. */
const isoText = (text: string): string => (text.includes('T') ? text : `${text.replace(' ', 'T')}Z`)

/** The filters that are set, with labels: `Called numbers`, `12065550100`. */
export function filterFacts(parameters: Readonly<Record<string, unknown>>): [label: string, value: string][] {
  return filterNames.flatMap((name): [string, string][] => {
    const value = parameters[name]
    const text = Array.isArray(value) ? value.join(', ') : value === true ? 'yes' : textOf(value)
    return text === '' || kindOf(name) === 'moment' ? [] : [[fields[name].label, text]]
  })
}

/** The command that estimates an export with the same filters. */
export function commandOf(parameters: Readonly<Record<string, unknown>>): string {
  const options = filterNames.flatMap((name) => {
    const value = parameters[name]
    const option = `--${fields[name].option}`
    if (value === true) return [option]
    const values = Array.isArray(value) ? value.map(textOf) : [textOf(value)]
    return values.filter((each) => each !== '').map((each) => `${option} ${quoted(each)}`)
  })
  return ['demarc cdr estimate', ...options].join(' ')
}

const quoted = (text: string): string => (/^[\w.:/+-]+$/.test(text) ? text : shellQuoted(text))

/** Whether every error belongs to a filter. */
export const isAboutFilters = (error: unknown): boolean =>
  error instanceof DemarcError &&
  error.findings.length > 0 &&
  error.findings.every(({ field }) => field?.startsWith('filter_parameters.'))

/** The API's error for a filter or for an entry of its list; null if there is none. */
export function filterError(error: unknown, name: FilterName): string | null {
  if (!(error instanceof DemarcError)) return null
  const field = `filter_parameters.${name}`
  const messages = error.findings
    .filter((each) => each.field === field || each.field?.startsWith(`${field}.`))
    // the sentence begins with the field's name, which is already the label above it
    .map(({ message }) => message.replace(/^[\w.]+: (.)/, (_, first: string) => first.toUpperCase()))
  return messages.length === 0 ? null : messages.join(' ')
}
