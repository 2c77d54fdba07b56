import { requireAccount } from '../accounts/index.ts'
import { actorName } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { enqueue } from '../platform/jobs.ts'
import { invalid, problem } from '../platform/problem.ts'
import * as accounts from './account-store.ts'
import { personalClasses } from './class-store.ts'
import { countCalls } from './due-store.ts'
import { countKept } from './run.ts'
import * as store from './store.ts'

/** The job that deletes what is due. Keys: `nightly`, and `requested`. */
export const retentionJob = 'retention'
/** The job that deletes an account's personal data. Its key is the account. */
export const personalDataJob = 'delete-personal-data'

const subject = (account_id: string) => ({ subject_type: 'account', subject_id: account_id })

/**
 * Closes an account: its keys, invitations, and calendar link end, and its people lose access. Its rows stay. Throws 404, and 409 if it
 * is closed. `invalidate` removes a key from this process's cache.
 */
export async function closeAccount(
  c: WriteContext,
  account_id: string,
  invalidate: (access_key: string) => void,
): Promise<void> {
  await requireAccount(c, account_id)
  const now = c.clock.now()
  if (!(await accounts.setClosed(c.tx, account_id, now))) throw problem('conflict', `Account ${account_id} is closed.`)
  const keys = await accounts.endAccess(c.tx, account_id, now)
  for (const key of keys) invalidate(key)
  await recordEvent(c, account_id, { type: 'account.closed', ...subject(account_id), data: { keys: keys.length } })
}

/** Sets or lifts the legal hold of an account. Recorded in the operator's chain, because customers read their own. Throws 404 and 409. */
export async function setLegalHold(
  c: WriteContext,
  account_id: string,
  { is_held, reason }: { is_held: boolean; reason: string },
): Promise<void> {
  await requireAccount(c, account_id)
  const hold = is_held ? { held_at: c.clock.now(), hold_reason: reason, held_by: actorName(c.actor) } : null
  if (!(await accounts.setHold(c.tx, account_id, hold)))
    throw problem('conflict', `Account ${account_id} is ${is_held ? 'already' : 'not'} under legal hold.`)
  const type = is_held ? 'legal_hold.set' : 'legal_hold.lifted'
  await recordEvent(c, null, { type, ...subject(account_id), data: { reason } })
}

/** Makes the deletion of what is due run now. */
export async function requestRun(c: WriteContext): Promise<Date> {
  const now = c.clock.now()
  await enqueue(c.tx, retentionJob, 'requested', now)
  await recordEvent(c, null, { type: 'retention.requested', subject_type: 'retention', subject_id: 'requested' })
  return now
}

/** What the deletion of an account's personal data deletes and keeps, and what prevents it. */
export interface PersonalDataReport {
  account_id: string
  status: 'not_requested' | 'processing' | 'completed'
  deletion: store.DeletionRow | undefined
  obstacles: string[]
  classes: { class: string; count: number; deleted: number; kept: number; reason: string | null }[]
}

const callReason = 'Calls of the last 18 months: 47 CFR 42.6.'

/** Before the request a dry run, afterward the report. Throws 404. */
export async function reportPersonalData(c: Context, account_id: string): Promise<PersonalDataReport> {
  const account = await requireAccount(c, account_id)
  const deletion = await store.findDeletion(c.tx, account_id)
  const now = c.clock.now()
  const entry = (name: string, { count, kept }: { count: number; kept: number }, reason: string | null) => {
    // people who belong to other accounts are no longer members
    const still_kept = name === 'shared_people' && deletion ? (deletion.kept[name] ?? 0) : kept
    return {
      class: name,
      count,
      deleted: deletion?.deleted[name] ?? 0,
      kept: still_kept,
      reason: still_kept > 0 ? reason : null,
    }
  }
  const classes = [entry('call_records', await countCalls(c.tx, account_id, now), callReason)]
  for (const [name, each] of Object.entries(personalClasses))
    classes.push(entry(name, await store.countPersonal(c.tx, each, account_id, now), each.kept?.reason ?? null))
  classes.push(entry('event_details', { count: await store.countDetails(c.tx, account_id), kept: 0 }, null))
  return {
    account_id,
    status: deletion === undefined ? 'not_requested' : deletion.completed_at === null ? 'processing' : 'completed',
    deletion,
    obstacles: await obstaclesOf(c, account),
    classes,
  }
}

async function obstaclesOf(
  c: Context,
  { id, closed_at, held_at }: { id: string; closed_at: Date | null; held_at: Date | null },
): Promise<string[]> {
  const { numbers, port_orders } = await store.countObstacles(c.tx, id)
  return [
    ...(held_at ? ['The account is under legal hold.'] : []),
    ...(closed_at ? [] : ['The account is not closed.']),
    ...(numbers > 0 ? [`The account has numbers: ${numbers}. Release them.`] : []),
    ...(port_orders > 0 ? [`The account has open port orders: ${port_orders}. End them.`] : []),
  ]
}

/** Starts the deletion of an account's personal data. `confirm` is its name. Throws 404, 409 with every obstacle, and 422. */
export async function requestPersonalDataDeletion(
  c: WriteContext,
  account_id: string,
  confirm: string,
): Promise<PersonalDataReport> {
  const account = await requireAccount(c, account_id)
  if (await store.findDeletion(c.tx, account_id))
    throw problem('conflict', `The deletion of the personal data of account ${account_id} was already requested.`)
  if (confirm !== account.name) throw invalid({ confirm: ['Must be the name of the account.'] })
  const obstacles = await obstaclesOf(c, account)
  if (obstacles.length > 0) throw problem('conflict', obstacles.join(' '))
  const now = c.clock.now()
  const row = { account_id, requested_at: now, requested_by: actorName(c.actor) }
  await store.insertDeletion(c.tx, row, await countKept(c.tx, account_id, now))
  await enqueue(c.tx, personalDataJob, account_id, now)
  const report = await reportPersonalData(c, account_id)
  await recordEvent(c, null, { type: 'personal_data.deletion_requested', ...subject(account_id) })
  return report
}
