import { lockCnamStatusForShare, cnamAssignmentError } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import { changedFields, type Changes } from '../platform/changed-fields.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { invalid, notFound, throwIfInvalid, type Problem } from '../platform/problem.ts'
import { defaultVoiceRouteId, voiceRouteError } from '../voice-routes/index.ts'
import { change } from './actions.ts'
import { cnamErrors, e911Errors, repeated, repetitions } from './rules.ts'
import * as store from './store.ts'

/** Changes many numbers in one transaction. */

export interface NumberChange {
  /** 11 digits. */
  value: string
  alias?: string | null | undefined
  cnam_lookups_enabled?: boolean | undefined
  /** Null is the default voice route. */
  primary_route_id?: string | null | undefined
  failover_route_id?: string | null | undefined
  cnam_id?: string | null | undefined
  e911_id?: string | null | undefined
}

/** One line of the request with its outcome. */
export interface ChangeResult {
  value: string
  /** Null if nothing differs or the change is refused. */
  changes: Changes<store.NumberRow> | null
  /** The refusal that a request for this number alone would get. */
  problem: Problem | null
}

export interface ChangeOptions {
  mode: 'all_or_none' | 'each'
  /** Checks everything and changes nothing. */
  dry_run: boolean
}

/**
 * Changes many numbers and returns each outcome in input order. Refused numbers stay unchanged. In mode `all_or_none`, one
 * refused number makes it throw 422 naming all refused numbers, unless it is a dry run.
 */
export async function changeNumbers(
  c: WriteContext,
  inputs: readonly NumberChange[],
  { mode, dry_run }: ChangeOptions,
): Promise<ChangeResult[]> {
  const lines = await checkLines(c, inputs)
  if (dry_run) return lines
  if (mode === 'all_or_none') throwIfInvalid(fieldErrorsOf(lines))
  // event chains are locked last and in ascending order, because their locks last until the commit
  const changed = lines.flatMap(({ number, patch, changes }) => (changes && number ? [{ number, patch }] : []))
  changed.sort((a, b) => Number(BigInt(a.number.account_id) - BigInt(b.number.account_id)))
  for (const { number, patch } of changed) await change(c, number, patch)
  return lines
}

/**
 * Validates changes of many numbers. Returns errors by field: `numbers.3.cnam_id`. Members refused by the body's shape are
 * absent.
 */
export async function changeFieldErrors(
  c: Context,
  inputs: readonly (Entry | undefined)[],
): Promise<Record<string, string[]>> {
  return fieldErrorsOf(await checkLines(c, inputs))
}

type Patch = { [K in keyof store.NumberRow]?: store.NumberRow[K] | undefined }
/** A change without the members that its shape refuses. */
type Entry = { [K in keyof NumberChange]?: NumberChange[K] | undefined }

interface Line extends ChangeResult {
  number: store.NumberRow | undefined
  patch: Patch
}

/** Checks each line after locking everything it depends on: records first, then numbers. */
async function checkLines(c: Context, inputs: readonly (Entry | undefined)[]): Promise<Line[]> {
  const values = inputs.flatMap((input) => input?.value ?? [])
  const accounts = new Map((await store.findNumbers(c.tx, c.actor, values)).map((n) => [n.value, n.account_id]))
  const errorOf = await referenceErrors(c, inputs, accounts)
  const numbers = new Map((await store.lockNumbersForUpdate(c.tx, c.actor, values)).map((n) => [n.value, n]))
  const duplicates = repetitions(inputs.map((input) => input?.value))
  return inputs.map((input, i) => {
    const { value } = input ?? {}
    const nothing = { value: value ?? '', number: undefined, patch: {}, changes: null }
    // the body's shape has already refused it
    if (input === undefined || value === undefined) return { ...nothing, problem: null }
    const number = numbers.get(value)
    if (!number) return { ...nothing, problem: notFound(c.actor, `No number ${value}`) }
    const duplicate_of = duplicates.get(i)
    const errors = duplicate_of === undefined ? lineErrors(input, number, errorOf) : { value: [repeated(duplicate_of)] }
    if (Object.keys(errors).length > 0) return { ...nothing, number, problem: invalid(errors) }
    const patch = patchOf(input)
    return { value, number, patch, changes: changedFields(number, patch), problem: null }
  })
}

type Reference = 'route' | 'cnam' | 'e911'
/** Why the account cannot use the record; null when it can. */
type ErrorOf = (kind: Reference, account_id: string, id: string) => string | null

/** Checks and locks every record the changes refer to, once each and in ascending order. */
async function referenceErrors(
  c: Context,
  inputs: readonly (Entry | undefined)[],
  accounts: ReadonlyMap<string, string>,
): Promise<ErrorOf> {
  const keyOf = (account_id: string, id: string) => `${account_id}/${id}`
  const named = (ids: (input: Entry) => readonly (string | null | undefined)[]) => {
    const references = inputs.flatMap((input) => {
      const account_id = accounts.get(input?.value ?? '')
      if (input === undefined || account_id === undefined) return []
      return ids(input).flatMap((id) => (id == null ? [] : [{ account_id, id }]))
    })
    const distinct = new Map(references.map((each) => [keyOf(each.account_id, each.id), each]))
    return [...distinct.values()].toSorted(
      (a, b) => Number(BigInt(a.account_id) - BigInt(b.account_id)) || Number(BigInt(a.id) - BigInt(b.id)),
    )
  }
  const errors: Record<Reference, Map<string, string | null>> = { route: new Map(), cnam: new Map(), e911: new Map() }
  for (const { account_id, id } of named((input) => [input.primary_route_id, input.failover_route_id]))
    errors.route.set(keyOf(account_id, id), await voiceRouteError(c.tx, account_id, id))
  for (const { account_id, id } of named((input) => [input.cnam_id])) {
    const error = cnamAssignmentError(await lockCnamStatusForShare(c.tx, account_id, id), id)
    errors.cnam.set(keyOf(account_id, id), error)
  }
  for (const { account_id, id } of named((input) => [input.e911_id])) {
    const found = await lockAddressForKeyShare(c.tx, account_id, id)
    errors.e911.set(keyOf(account_id, id), e911Errors('longcode', id, found)['e911_id']?.[0] ?? null)
  }
  return (kind, account_id, id) => errors[kind].get(keyOf(account_id, id)) ?? null
}

function lineErrors(
  { primary_route_id, failover_route_id, cnam_id, e911_id }: Entry,
  { account_id, number_type }: store.NumberRow,
  errorOf: ErrorOf,
): Record<string, string[]> {
  const primary = primary_route_id ? errorOf('route', account_id, primary_route_id) : null
  const failover = failover_route_id ? errorOf('route', account_id, failover_route_id) : null
  const { number: no_cnam = [], ...cnam } = cnam_id ? cnamErrors(number_type, errorOf('cnam', account_id, cnam_id)) : {}
  const { number: no_e911 = [], ...e911 } = e911_id
    ? e911Errors(number_type, e911_id, errorOf('e911', account_id, e911_id) === null)
    : {}
  const value = [...no_cnam, ...no_e911]
  return {
    ...(value.length > 0 && { value }),
    ...(primary !== null && { primary_route_id: [primary] }),
    ...(failover !== null && { failover_route_id: [failover] }),
    ...cnam,
    ...e911,
  }
}

/** The row's fields that a change sets; undefined for the others. */
const patchOf = ({ value, alias, primary_route_id, ...fields }: Entry): Patch => ({
  ...fields,
  value,
  alias: alias === '' ? null : alias,
  primary_route_id: primary_route_id === null ? defaultVoiceRouteId : primary_route_id,
})

/** Errors of all lines, by field of the body. An unknown number is an error on its value. */
function fieldErrorsOf(lines: readonly ChangeResult[]): Record<string, string[]> {
  const entries = lines.flatMap(({ problem }, i) => {
    if (problem === null) return []
    const fields = typeof problem.detail === 'string' ? { value: [problem.detail] } : problem.detail
    return Object.entries(fields).map(([field, messages]) => [`numbers.${i}.${field}`, [messages].flat()] as const)
  })
  return Object.fromEntries(entries)
}
