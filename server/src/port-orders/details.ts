import { dateIn, portOrders } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { maskPin } from '../platform/secrets.ts'
import { desiredDateError } from './calendar/porting-interval.ts'
import { codeCountry, codeFormError } from './check/postal-codes.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { sealContext } from './secret-store.ts'
import type { OrderRow } from './store.ts'

/** The details of an order: validation beyond their schema, and encryption of the secrets. */

type ValidatedDetails = Pick<
  OrderRow,
  'usage_type' | 'company' | 'state' | 'zip' | 'country' | 'desired_completion_date' | 'status_url'
>

/**
 * Validation errors of the details of an order, by field. Only fields in `changed` are validated, so a request is not refused
 * for details that it does not touch.
 */
export function detailErrors(
  { clock, time_zone }: Pick<Deps, 'clock' | 'time_zone'>,
  { outbound }: Pick<PortOrderDependencies, 'outbound'>,
  order: { readonly [K in keyof ValidatedDetails]?: ValidatedDetails[K] | undefined },
  changed: ReadonlySet<string>,
): Record<string, string[]> {
  const { usage_type, company = '', state = '', zip, country = '', desired_completion_date, status_url } = order
  const errors: Record<string, string[]> = {}
  const anyChanged = (...fields: string[]) => fields.some((field) => changed.has(field))
  if (anyChanged('usage_type', 'company') && usage_type === 'Business' && company.trim() === '')
    errors['company'] = [portOrders.formatErrors.company]
  if (anyChanged('zip', 'state', 'country') && zip !== undefined) {
    const error = codeFormError(zip, codeCountry(state, country))
    if (error !== null) errors['zip'] = [error]
  }
  if (changed.has('desired_completion_date') && desired_completion_date) {
    const calendar = { country: country === '' ? 'US' : country } as const
    const error = desiredDateError(desired_completion_date, dateIn(clock.now(), time_zone), calendar)
    if (error) errors['desired_completion_date'] = [`${error.reason} Try ${error.suggestion}.`]
  }
  if (changed.has('status_url') && status_url) {
    const refusal = outbound.checkUrl(status_url)
    if (refusal) errors['status_url'] = [refusal.detail]
  }
  return errors
}

export const secretFields = ['pin', 'last_4_ssn'] as const

/** The decrypted secrets of an order; empty where it has none. */
export type Secrets = Record<(typeof secretFields)[number], string>

/** The secrets as responses show them. */
export const shownSecrets = ({ pin_mask, last_4_ssn }: Pick<OrderRow, 'pin_mask' | 'last_4_ssn'>): Secrets => ({
  pin: pin_mask,
  last_4_ssn: last_4_ssn === null ? '' : '****',
})

/** The columns of the secrets: encrypted for this order, and masked for responses. An empty string removes a secret. */
export function sealedColumns(
  { vault }: Pick<Deps, 'vault'>,
  key: Pick<OrderRow, 'account_id' | 'id'>,
  { pin, last_4_ssn }: Partial<Secrets>,
): Partial<Pick<OrderRow, 'pin' | 'pin_mask' | 'last_4_ssn'>> {
  const seal = (text: string, field: 'pin' | 'last_4_ssn') =>
    text === '' ? null : vault.seal(text, sealContext(key, field))
  return {
    ...(pin === undefined ? {} : { pin: seal(pin, 'pin'), pin_mask: pin === '' ? '' : maskPin(pin) }),
    ...(last_4_ssn === undefined ? {} : { last_4_ssn: seal(last_4_ssn, 'last_4_ssn') }),
  }
}

/** The decrypted secrets of an order. Never store or log them. */
export function openSecrets(
  { vault }: Pick<Deps, 'vault'>,
  row: Pick<OrderRow, 'account_id' | 'id' | 'pin' | 'last_4_ssn'>,
): Secrets {
  const open = (field: keyof Secrets) => {
    const sealed = row[field]
    return sealed === null ? '' : vault.open(sealed, sealContext(row, field))
  }
  return { pin: open('pin'), last_4_ssn: open('last_4_ssn') }
}
