import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Executor, Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import type { RowKey } from '../platform/rows.ts'
import { invalid, notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import { cnamStatusOf, decisionErrors, type CnamStatus, type Decision } from './rules.ts'
import * as store from './store.ts'

/** The numbers that use a name. Injected by app.ts, because numbers are a feature above this one and cannot be imported. */
export interface NumbersOfCnams {
  /** Clears the name from every number that uses it and returns those numbers. */
  clearFromNumbers: (tx: Tx, record: RowKey) => Promise<string[]>
  /** Numbers that use the name, ascending, at most `limit`, and the total count. */
  numbersOf: (db: Executor, record: RowKey, limit: number) => Promise<{ values: string[]; count: number }>
}
export type ClearCnamFromNumbers = NumbersOfCnams['clearFromNumbers']

/** Throws 404 unless the actor can see the record. */
export async function requireCnam(c: Context, id: string): Promise<store.CnamRow> {
  return (await store.findCnam(c.tx, c.actor, id)) ?? unknownCnam(c, id)
}

/** Validates the value of a new or changed record: no other record of the account may have it. Returns errors by field. */
export async function valueErrors(
  c: Context,
  value: string | undefined,
  changed: store.CnamRow | null = null,
): Promise<Record<string, string[]>> {
  if (value === undefined || value === changed?.value) return {}
  const account_id = changed?.account_id ?? accountOf(c.actor)
  return (await store.hasCnam(c.tx, account_id, value)) ? taken : {}
}

/**
 * Creates a record on the actor's account, pending the operator's decision. `value` as stored. Throws 422 if the account
 * already has the value.
 */
export async function createCnam(c: WriteContext, value: string): Promise<store.CnamRow> {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const record = await store.insertCnam(c.tx, { account_id, value, created_at: c.clock.now() })
  if (!record) throw duplicate()
  await recordEvent(c, account_id, { type: 'cnam.created', ...subjectOf(record), data: { value } })
  return record
}

/**
 * Changes the value. A rejected record goes back to the operator for a decision; an unchanged value changes nothing. Throws
 * 404, 409 once approved (it may be on the network), and 422 when another record of the account has the value.
 */
export async function updateCnam(c: WriteContext, id: string, value: string): Promise<store.CnamRow> {
  const record = (await store.lockCnamForUpdate(c.tx, c.actor, id)) ?? unknownCnam(c, id)
  if (record.value === value) return record
  if (record.is_approved)
    throw problem(
      'conflict',
      `Caller ID name ${id} is approved and can no longer be changed. Create another one and assign it to your numbers.`,
    )
  const changed = await store.updateCnam(c.tx, record, { value, rejection_reason: null })
  if (!changed) throw duplicate()
  await recordEvent(c, record.account_id, {
    type: 'cnam.changed',
    ...subjectOf(record),
    data: {
      from: { value: record.value, rejection_reason: record.rejection_reason },
      to: { value, rejection_reason: null },
    },
  })
  return changed
}

/** Deletes the record and clears it from its numbers. Throws 404. */
export async function deleteCnam(c: WriteContext, id: string, clearFromNumbers: ClearCnamFromNumbers): Promise<void> {
  const record = await store.lockCnamForUpdate(c.tx, c.actor, id)
  if (!record) throw problem('not-found', `There is nothing to delete: no caller ID name ${id} is on this account.`)
  const numbers = await clearFromNumbers(c.tx, record)
  await store.deleteCnam(c.tx, record)
  await recordEvent(c, record.account_id, {
    type: 'cnam.deleted',
    ...subjectOf(record),
    data: { value: record.value, ...namedNumbers(numbers) },
  })
}

/** Validates a decision on the record. Returns errors by field. Throws 404. */
export async function decisionFieldErrors(
  c: Context,
  id: string,
  decision: Decision,
): Promise<Record<string, string[]>> {
  return decisionErrors(decision, (await requireCnam(c, id)).rejection_reason)
}

/**
 * Records the operator's decision. Repeating a decision changes nothing, which keeps the expected dates. Rejecting an approved
 * record withdraws it, for instance when the name belongs to someone else: it is cleared from its numbers, because an editable
 * record must not be in use. Throws 404, and 422 for a rejection without a reason or an approval with one.
 */
export async function decideCnam(
  c: WriteContext,
  id: string,
  decision: Decision,
  clearFromNumbers: ClearCnamFromNumbers,
): Promise<store.CnamRow> {
  const record = (await store.lockCnamForUpdate(c.tx, c.actor, id)) ?? unknownCnam(c, id)
  throwIfInvalid(decisionErrors(decision, record.rejection_reason))
  const { is_approved } = decision
  const rejection_reason = is_approved ? null : (decision.rejection_reason ?? null)
  if (is_approved === record.is_approved && rejection_reason === record.rejection_reason) return record
  const numbers = record.is_approved ? await clearFromNumbers(c.tx, record) : []
  const approved_at = is_approved ? c.clock.now() : null
  const decided = await store.updateCnam(c.tx, record, { is_approved, approved_at, rejection_reason })
  if (!decided) throw new Error(`the locked cnam ${id} is gone`)
  await recordEvent(c, record.account_id, {
    type: is_approved ? 'cnam.approved' : record.is_approved ? 'cnam.withdrawn' : 'cnam.rejected',
    ...subjectOf(record),
    data: {
      value: record.value,
      ...(is_approved ? {} : { rejection_reason }),
      ...(record.is_approved ? namedNumbers(numbers) : {}),
    },
  })
  return decided
}

/** The status of a record of the account. The row is locked for share until the transaction ends. */
export async function lockCnamStatusForShare(tx: Executor, account_id: string, id: string): Promise<CnamStatus> {
  return cnamStatusOf(await store.lockCnamForShare(tx, account_id, id))
}

function unknownCnam(c: Context, id: string): never {
  throw notFound(c.actor, `No caller ID name ${id}`)
}

const taken = { value: ['This account already has this caller ID name.'] }
const duplicate = () => invalid(taken)

/** An event lists at most this many numbers; its count covers all of them. */
const namedNumbers_max = 100

const namedNumbers = (numbers: readonly string[]) => ({
  numbers_count: numbers.length,
  numbers: numbers.slice(0, namedNumbers_max),
})

const subjectOf = ({ id }: store.CnamRow) => ({ subject_type: 'cnam', subject_id: id })
