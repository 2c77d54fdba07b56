import type { Operations, RequestInput } from '@demarc/client'
import type { Body } from '../api.ts'

/** A change of one or many numbers, as the form has it, as the API takes it, and as people read its result. */

/** What is sent of a number. */
export type Change = RequestInput<Operations['updateNumbers']>['body']['numbers'][number]
export type ChangeResult = Body<'updateNumbers'>['data'][number]

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

/** Why a number is refused, in the API's words. */
export const reasonsOf = ({ errors }: ChangeResult): string[] =>
  errors.flatMap(({ title, detail }) => {
    if (typeof detail === 'string') return [detail]
    const texts = Object.values(detail ?? {}).flat()
    return texts.length === 0 ? [title ?? 'Refused.'] : texts
  })
