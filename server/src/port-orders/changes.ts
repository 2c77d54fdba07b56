import { portOrders } from '@demarc/client'
import { changedFields } from '../platform/changed-fields.ts'
import type { Valid } from '../platform/http/binding.ts'
import { secretFields, shownSecrets, type Secrets } from './details.ts'
import { noPresets, presetColumns, type PresetColumns } from './presets.ts'
import { limits, withPlus } from './rules.ts'
import type { Order, OrderRow } from './store.ts'

/** Finds what a body changes about an order. Unchanged values are ignored, so that a client can send the whole document back. */

export type RequestedChanges = Valid<portOrders.PortOrderChanges>

export type ChangeKind = 'cancel' | 'presets' | 'details'

export interface OrderChanges {
  kinds: ChangeKind[]
  /** The kinds that the body mentions, changed or not. An unchanged status does not count. */
  named: ChangeKind[]
  /** Changed columns without secrets. */
  details: Partial<OrderRow>
  secrets: Partial<Secrets>
  presets: Partial<PresetColumns>
  /** Errors by field that can be found without the database. */
  errors: Record<string, string[]>
  /** The field of the body that contains a detail. */
  fieldOf: (detail: string) => string
}

export type Address = Pick<OrderRow, (typeof addressFields)[number]>
const addressFields = ['street', 'street2', 'city', 'state', 'zip', 'country'] as const

/** `secrets` are those of the order, decrypted for immediate use. */
export function changesOf(requested: RequestedChanges, order: Order, secrets: Secrets): OrderChanges {
  const {
    billing_address,
    loa_details,
    presets,
    status,
    numbers: requested_numbers,
    pin,
    last_4_ssn,
    ...plain
  } = requested
  const address = resolveAddress({ ...plain, billing_address }, order)
  const details = changedFields<OrderRow>(order, { ...plain, ...address.fields, ...loaColumns(loa_details) })?.to ?? {}
  const secret = changedSecrets({ pin, last_4_ssn }, order, secrets)
  const preset_columns = presets === null ? noPresets : presetColumns(presets ?? {})
  const changed_presets = changedFields<OrderRow>(order, preset_columns)?.to ?? {}
  const hasDetails = Object.keys(details).length + Object.keys(secret.changed).length > 0
  const cancels = status === 'cancelled'
  const kinds: ChangeKind[] = [
    ...(cancels ? (['cancel'] as const) : []),
    ...(Object.keys(changed_presets).length > 0 ? (['presets'] as const) : []),
    ...(hasDetails ? (['details'] as const) : []),
  ]
  const errors = { ...address.errors, ...secret.errors }
  if (status !== undefined && !cancels && status !== order.status) errors['status'] = ['Must be "cancelled".']
  if (requested_numbers !== undefined && !sameNumbers(requested_numbers, order.numbers))
    errors['numbers'] = [numbersError]
  if (kinds.length > 1) errors['body'] = [portOrders.mixedChanges]
  const { presets: _presets, status: _status, numbers: _numbers, ...named_details } = requested
  return {
    kinds,
    named: [
      ...(cancels ? (['cancel'] as const) : []),
      ...(presets === undefined ? [] : (['presets'] as const)),
      ...(Object.keys(named_details).length === 0 ? [] : (['details'] as const)),
    ],
    details,
    secrets: secret.changed,
    presets: changed_presets,
    errors,
    fieldOf: (detail) => address.places.get(detail) ?? detail,
  }
}

/**
 * The address in a body, which may be at the top level, in `billing_address`, or both. `places`: where a field was found in
 * `billing_address`.
 */
export function resolveAddress(
  requested: { [K in keyof Address]?: Address[K] | undefined } & {
    billing_address?: { [K in keyof Address]?: Address[K] | undefined } | undefined
  },
  current: Address | null,
): { fields: Partial<Address>; errors: Record<string, string[]>; places: ReadonlyMap<string, string> } {
  const places = new Map<string, string>()
  const errors: Record<string, string[]> = {}
  const entries = addressFields.flatMap((field) => {
    const [outer, inner] = [requested[field], requested.billing_address?.[field]]
    if (outer === undefined && inner === undefined) return []
    const isCurrent = (value: unknown) => current !== null && value === current[field]
    if (inner === undefined || (outer !== undefined && (outer === inner || isCurrent(inner))))
      return [[field, outer] as const]
    if (outer !== undefined && !isCurrent(outer))
      errors[field] = ['Differs from billing_address. Send it in one place only.']
    places.set(field, `billing_address.${field}`)
    return [[field, inner] as const]
  })
  return { fields: Object.fromEntries(entries), errors, places }
}

const loaColumns = (details: RequestedChanges['loa_details']) =>
  details === undefined
    ? {}
    : details === null
      ? { loa_cc: '', loa_email: '' }
      : { loa_cc: details.cc, loa_email: details.email }

/** An unchanged mask is no change; a different mask is an error. */
function changedSecrets(
  requested: { [K in keyof Secrets]?: Secrets[K] | undefined },
  row: Pick<OrderRow, 'pin_mask' | 'last_4_ssn'>,
  current: Secrets,
): { changed: Partial<Secrets>; errors: Record<string, string[]> } {
  const shown = shownSecrets(row)
  const errors: Record<string, string[]> = {}
  const changed = secretFields.flatMap((field) => {
    const value = requested[field]
    if (value === undefined || value === shown[field] || value === current[field]) return []
    if (portOrders.isMask(value)) errors[field] = [portOrders.formatErrors.mask]
    return [[field, value] as const]
  })
  return { changed: Object.fromEntries(changed), errors }
}

const numbersError =
  'Cannot be changed here. Add and remove numbers at relationships/numbers. Leave this out, or send it unchanged.'

/** Ignores the order. For a long order, the first numbers as shown in a list count as all of them. */
function sameNumbers(requested: readonly unknown[], current: readonly string[]): boolean {
  const shown = new Set(requested)
  const all = current.map(withPlus)
  const same = (numbers: readonly string[]) => requested.length === numbers.length && numbers.every((n) => shown.has(n))
  return same(all) || same(all.slice(0, limits.listed_numbers))
}
