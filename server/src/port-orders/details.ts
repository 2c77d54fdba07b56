import { dateIn } from '@demarc/client'
import type { portOrders } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { maskPin } from '../platform/secrets.ts'
import { desiredDateError } from './calendar/porting-interval.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import type { OrderRow } from './store.ts'
import type * as z from 'zod'

/** The details of an order: validation beyond their schema, and their columns. */

export type DetailChanges = z.output<typeof portOrders.portOrderDetails>
export type NewOrder = z.output<typeof portOrders.newPortOrder>

type ValidatedDetails = Pick<OrderRow, 'usage_type' | 'company' | 'country' | 'desired_completion_date' | 'status_url'>

/** Validation errors by field. `given` are the fields of this request, validated together with the rest of the order. */
export function detailErrors(
  { clock, time_zone }: Pick<Deps, 'clock' | 'time_zone'>,
  { outbound }: Pick<PortOrderDependencies, 'outbound'>,
  order: ValidatedDetails,
  given: ReadonlySet<string>,
): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  if (order.usage_type === 'Business' && order.company.trim() === '')
    errors['company'] = ['Is required with usage type Business.']
  if (given.has('desired_completion_date') && order.desired_completion_date !== null) {
    const today = dateIn(clock.now(), time_zone)
    const error = desiredDateError(order.desired_completion_date, today, { country: order.country })
    if (error) errors['desired_completion_date'] = [`${error.reason} ${error.suggestion} would do.`]
  }
  if (given.has('status_url') && order.status_url !== '') {
    const refusal = outbound.checkUrl(order.status_url)
    if (refusal) errors['status_url'] = [refusal.detail]
  }
  return errors
}

/** The columns of secrets: encrypted for this order, and masked for responses. An empty text removes one. */
export function sealedColumns(
  { vault }: Pick<Deps, 'vault'>,
  key: Pick<OrderRow, 'account_id' | 'id'>,
  { pin, last_4_ssn }: { pin?: string | undefined; last_4_ssn?: string | undefined },
): Partial<Pick<OrderRow, 'pin' | 'pin_mask' | 'last_4_ssn'>> {
  const seal = (text: string, field: 'pin' | 'last_4_ssn') =>
    text === '' ? null : vault.seal(text, sealContext(key, field))
  return {
    ...(pin === undefined ? {} : { pin: seal(pin, 'pin'), pin_mask: pin === '' ? '' : maskPin(pin) }),
    ...(last_4_ssn === undefined ? {} : { last_4_ssn: seal(last_4_ssn, 'last_4_ssn') }),
  }
}

/** The decrypted secrets of an order: for immediate use, never to be stored or logged. */
export function openSecrets(
  { vault }: Pick<Deps, 'vault'>,
  row: Pick<OrderRow, 'account_id' | 'id' | 'pin' | 'last_4_ssn'>,
): { pin: string | null; last_4_ssn: string | null } {
  return {
    pin: row.pin === null ? null : vault.open(row.pin, sealContext(row, 'pin')),
    last_4_ssn: row.last_4_ssn === null ? null : vault.open(row.last_4_ssn, sealContext(row, 'last_4_ssn')),
  }
}

const sealContext = ({ account_id, id }: Pick<OrderRow, 'account_id' | 'id'>, field: 'pin' | 'last_4_ssn') =>
  `portorder:${account_id}:${id}:${field}`

/** The changed columns without secrets. */
export function plainColumns(given: DetailChanges): Partial<OrderRow> {
  const { pin: _pin, last_4_ssn: _ssn, loa_details, ...plain } = given
  const columns = {
    ...plain,
    ...(loa_details === undefined ? {} : { loa_cc: loa_details.cc, loa_email: loa_details.email }),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
