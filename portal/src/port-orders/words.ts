import { businessDaysUntil, countText, nextSteps, terminal, type PortOrderStatus } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import type { Meaning } from '../ui/status.tsx'
import { phoneText } from '../ui/text.ts'

/** Texts about port orders. */

export type PortOrder = Body<'getPortOrder'>['data']
export type PortOrderAttributes = PortOrder['attributes']

/** A status's meaning for the customer. */
export function meaningOf(status: PortOrderStatus): Meaning {
  if (status === 'Rejected') return 'refused'
  if (status === 'Completed') return 'done'
  if (terminal(status)) return 'quiet'
  return nextSteps[status].who === 'account' ? 'needs-you' : 'moving'
}

/** The displayed status. */
export const statusText = (status: PortOrderStatus): string => status.replace('_', ' ')

/** The stages of an order. */
export const stages = ['Prepare', 'Check', 'Losing carrier', 'FOC date', 'Completed'] as const

/** Short stage names. */
export const stagesInShort = ['Prepare', 'Check', 'Carrier', 'FOC', 'Done'] as const

/** The order's index in `stages`; null if it ended early. */
export const stageOf: Readonly<Record<PortOrderStatus, number | null>> = {
  Pending: 0,
  Processing: 1,
  Review: 1,
  Submitted: 2,
  Rejected: 2,
  Accepted: 3,
  Completed: stages.length,
  Canceled: null,
  Abandoned: null,
  Hard_canceled: null,
}

/** An order's title: its alias or its numbers. */
export function orderTitle({ id, attributes: { alias, numbers, numbers_count } }: PortOrder): string {
  if (alias !== '') return alias
  const [first] = numbers
  if (first === undefined) return `Port order ${id}`
  return numbers_count === 1 ? phoneText(first) : `${phoneText(first)} and ${numbers_count - 1} more`
}

export const numbersText = (count: number): string => countText(count, 'number')

/** `3 business days left`, from today. */
export function daysLeftText(date: string, today: string, order: PortOrderAttributes): string {
  if (today === date) return 'today'
  if (today > date) return 'due'
  const count = businessDaysUntil(today, date, {
    country: order.billing_address.country === 'CA' ? 'CA' : 'US',
  })
  return `${countText(count, 'business day')} left`
}

/** The consequence of inaction. */
export const becomesText = (status: PortOrderStatus): string =>
  status === 'Abandoned'
    ? 'After that, the order is abandoned at no charge.'
    : 'After that, the order is canceled at no charge.'
