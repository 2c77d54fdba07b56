import { requireAccount } from '../accounts/index.ts'
import { countNumbersByAccount } from '../numbers/index.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { problem } from '../platform/problem.ts'
import * as store from './orders-store.ts'

/** How many numbers an account may order and reserve. */

/** Numbers that an account may have reserved at a time, unless the operator sets another limit. */
const reserved_default = 100

/** Throws 409 if the account would have more numbers than it may. Its next order waits until this transaction ends. */
export async function requireQuota(c: WriteContext, account_id: string, added: number): Promise<void> {
  const { numbers_max } = await store.lockPolicyForUpdate(c.tx, account_id)
  if (numbers_max === null) return
  const count = (await countNumbersByAccount(c.tx, [account_id], numbers_max + 1)).get(account_id) ?? 0
  if (count + added > numbers_max)
    throw problem(
      'conflict',
      `The account may have ${numbers_max} numbers and has ${count}. Release numbers, or ask the operator for more.`,
    )
}

/** Throws 409 if the account would have more numbers reserved than it may. */
export async function requireReservationQuota(c: WriteContext, account_id: string, added: number): Promise<void> {
  const reserved_max = (await store.lockPolicyForUpdate(c.tx, account_id)).reserved_max ?? reserved_default
  const count = await store.countReserved(c.tx, account_id)
  if (count + added > reserved_max)
    throw problem(
      'conflict',
      `The account may have ${reserved_max} numbers reserved and has ${count}. Order or release some of them first.`,
    )
}

/** Throws 404 for an unknown account. */
export async function getPolicy(c: Context, account_id: string): Promise<store.PolicyRow> {
  await requireAccount(c, account_id)
  return await store.findPolicy(c.tx, account_id)
}

/** Sets the limits of an account. Throws 404 for an unknown one. */
export async function setPolicy(c: WriteContext, policy: store.PolicyRow): Promise<store.PolicyRow> {
  await requireAccount(c, policy.account_id)
  await store.savePolicy(c.tx, policy)
  const { account_id, ...data } = policy
  const subject = { subject_type: 'account', subject_id: account_id }
  await recordEvent(c, account_id, { type: 'number_policy.changed', ...subject, data })
  return policy
}
