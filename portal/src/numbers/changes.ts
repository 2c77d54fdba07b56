import type { Operations, RequestInput } from '@demarc/client'
import type { Body } from '../api.ts'

/** A change of one or many numbers, as the form has it, as the API takes it, and as people read its result. */

/** What is sent of a number. */
export type Change = RequestInput<Operations['updateNumbers']>['body']['numbers'][number]
export type ChangeResult = Body<'updateNumbers'>['data'][number]
/** With the line of the file that it is from. */
export interface ReportedResult extends ChangeResult {
  line?: number
}

/** What a field of the form says: leave it, take it away, or the id of what to set. */
export type Choice = 'leave' | 'none' | `id:${string}`

export interface ChangeForm {
  /** Null: leave it. */
  alias: string | null
  primary_route: Choice
  failover_route: Choice
  cnam: Choice
  e911: Choice
}

export const unchanged: ChangeForm = {
  alias: null,
  primary_route: 'leave',
  failover_route: 'leave',
  cnam: 'leave',
  e911: 'leave',
}

/** Whether the form would change anything. */
export const isEmpty = ({ alias, ...choices }: ChangeForm): boolean =>
  alias === null && Object.values(choices).every((choice) => choice === 'leave')

/** The change of each of these numbers. */
export const changesOf = (values: readonly string[], form: ChangeForm): Change[] =>
  values.map((value) => ({
    value,
    ...(form.alias === null ? {} : { alias: form.alias }),
    ...chosen('primary_route_id', form.primary_route),
    ...chosen('failover_route_id', form.failover_route),
    ...chosen('cnam_id', form.cnam),
    ...chosen('e911_id', form.e911),
  }))

const chosen = <K extends string>(field: K, choice: Choice): Partial<Record<K, string | null>> => {
  if (choice === 'leave') return {}
  const value: Partial<Record<K, string | null>> = {}
  value[field] = choice === 'none' ? null : choice.slice('id:'.length)
  return value
}

const fields = {
  alias: 'Alias',
  cnam_lookups_enabled: 'Caller-name look-ups',
  primary_route_id: 'Route',
  failover_route_id: 'Failover route',
  cnam_id: 'Caller ID',
  e911_id: 'E911 address',
} as const

type Field = keyof typeof fields

/** Names of what ids refer to. */
export type NamesOf = (field: string, id: number) => string

/** What a result changes, a line for each field: `Route: Default to Practice PBX`. */
export function linesOf({ from, to }: ChangeResult, nameOf: NamesOf): string[] {
  return Object.keys(to)
    .filter((field): field is Field => field in fields)
    .map((field) => `${fields[field]}: ${textOf(field, from[field], nameOf)} → ${textOf(field, to[field], nameOf)}`)
}

function textOf(field: Field, value: string | number | boolean | null | undefined, nameOf: NamesOf): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'number' ? nameOf(field, value) : value
}

/** Why a number is refused: each field that it is about, and the API's words. What is about none is about the number. */
const findingsOf = ({ errors }: ChangeResult): [field: string, text: string][] =>
  errors.flatMap(({ title, detail }) => {
    if (typeof detail !== 'object') return [[labelOf('value'), detail ?? title ?? 'Refused.'] as [string, string]]
    return Object.entries(detail).flatMap(([name, messages]) =>
      [messages].flat().map((text): [string, string] => [labelOf(name), text]),
    )
  })

export const reasonsOf = (result: ChangeResult): string[] =>
  findingsOf(result).map(([field, text]) => `${field}: ${text}`)

/** What a number is refused for, as the form calls it. */
export const fieldsOf = (result: ChangeResult): string[] => [...new Set(findingsOf(result).map(([field]) => field))]

const labels: Readonly<Record<string, string>> = { ...fields, value: 'Number', row: 'Line' }
const labelOf = (name: string): string => labels[name] ?? name
