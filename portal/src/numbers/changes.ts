import type { Operations, RequestInput } from '@demarc/client'
import type { Body } from '../api.ts'

/** A change of numbers: the form's values, the API request, and the displayed result. */

/** The request for one number. */
export type Change = RequestInput<Operations['updateNumbers']>['body']['numbers'][number]
export type ChangeResult = Body<'updateNumbers'>['data'][number]
/** With the file line it came from. */
export interface ReportedResult extends ChangeResult {
  line?: number
}

/** A field's choice: leave, remove, or the id to set. */
export type Choice = 'leave' | 'none' | `id:${string}`

export interface ChangeForm {
  /** Null: no change. */
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

/** Whether the form has any change. */
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
  cnam_lookups_enabled: 'Caller-name lookups',
  primary_route_id: 'Route',
  failover_route_id: 'Failover route',
  cnam_id: 'Caller ID',
  e911_id: 'E911 address',
} as const

type Field = keyof typeof fields

/** Names of what ids refer to. */
export type NamesOf = (field: string, id: number) => string

/** A result's changes, one line per field: `Route: Default → Practice PBX`. */
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

/** Why a number was refused: each field with the API's message. Errors without a field are about the number. */
const findingsOf = ({ errors }: ChangeResult): [field: string, text: string][] =>
  errors.flatMap(({ title, detail }) => {
    if (typeof detail !== 'object') return [[labelOf('value'), detail ?? title ?? 'Refused.'] as [string, string]]
    return Object.entries(detail).flatMap(([name, messages]) =>
      [messages].flat().map((text): [string, string] => [labelOf(name), text]),
    )
  })

export const reasonsOf = (result: ChangeResult): string[] =>
  findingsOf(result).map(([field, text]) => `${field}: ${text}`)

/** The form's label for the field a refusal names. */
export const fieldsOf = (result: ChangeResult): string[] => [...new Set(findingsOf(result).map(([field]) => field))]

const labels: Readonly<Record<string, string>> = { ...fields, value: 'Number', row: 'Line' }
const labelOf = (name: string): string => labels[name] ?? name
