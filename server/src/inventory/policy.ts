import { countText } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { countNumbersByAccount } from '../numbers/index.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { problem, throwIfInvalid } from '../platform/problem.ts'
import * as store from './orders-store.ts'
import { approvalErrors } from './rules.ts'

/** What an account may order and reserve. */

/** Numbers that an account may have reserved at a time, unless the operator sets another limit. */
const reserved_default = 100

/**
 * The account's policy. Throws 409 if the account would have more numbers than it may; those of orders that wait for approval
 * count. Its next order waits until this transaction ends.
 */
export async function requireQuota(c: WriteContext, account_id: string, added: number): Promise<store.PolicyRow> {
  const policy = await store.lockPolicyForUpdate(c.tx, account_id)
  const { numbers_max } = policy
  if (numbers_max === null) return policy
  const { pending } = await store.countReserved(c.tx, account_id)
  const count = (await countNumbersByAccount(c.tx, [account_id], numbers_max + 1)).get(account_id) ?? 0
  if (count + pending + added > numbers_max)
    throw problem(
      'conflict',
      `The account may have ${countText(numbers_max, 'number')} and has ${count}${pending === 0 ? '' : `, and ${countText(pending, 'more waits', 'more wait')} for approval`}. Release numbers, or ask the operator for more.`,
    )
  return policy
}

/** Throws 409 if the account would have more numbers reserved than it may. */
export async function requireReservationQuota(c: WriteContext, account_id: string, added: number): Promise<void> {
  const reserved_max = (await store.lockPolicyForUpdate(c.tx, account_id)).reserved_max ?? reserved_default
  const { reserved: count } = await store.countReserved(c.tx, account_id)
  if (count + added > reserved_max)
    throw problem(
      'conflict',
      `The account may have ${countText(reserved_max, 'number')} reserved and has ${count}. Order or release some of them first.`,
    )
}

/** Throws 404 for an unknown account. */
export async function getPolicy(c: Context, account_id: string): Promise<store.PolicyRow> {
  await requireAccount(c, account_id)
  return await store.findPolicy(c.tx, account_id)
}

/** Sets the limits of an account. Throws 404 for an unknown one, and 422 for limits of approval that contradict it. */
export async function setPolicy(c: WriteContext, policy: store.PolicyRow): Promise<store.PolicyRow> {
  await requireAccount(c, policy.account_id)
  throwIfInvalid(approvalErrors(policy))
  await store.savePolicy(c.tx, policy)
  const { account_id, ...data } = policy
  const subject = { subject_type: 'account', subject_id: account_id }
  await recordEvent(c, account_id, { type: 'number_policy.changed', ...subject, data })
  return await store.findPolicy(c.tx, account_id)
}
