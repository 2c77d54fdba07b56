import { timeText } from '../platform/clock.ts'
import { link } from '../platform/http/binding.ts'
import type { OrderRow, ReservationRow } from './orders-store.ts'
import type { ClassPriceRow, PriceClassRow } from './prices-store.ts'
import type { ReleasePlan } from './rules.ts'
import type { InventoryNumber } from './store.ts'
import type { PricedProfile } from './tables.ts'

/** How the inventory appears in responses. */

type Deps = Parameters<typeof link>[0]

export const availableAttributes = (value: string, profile: Omit<PricedProfile, 'id'>) => ({
  value,
  number_type: profile.number_type,
  rate_center: profile.rate_center || null,
  lata: profile.lata || null,
  state: profile.state || null,
  monthly_cost: profile.monthly_cost,
  setup_cost: profile.setup_cost,
  capabilities: profile.capabilities.split(' ').filter((each) => each !== ''),
})

/** A number for sale. */
export const availableResource = (deps: Deps, value: string, profile: PricedProfile) => ({
  type: 'number' as const,
  id: value,
  attributes: availableAttributes(value, profile),
  links: { related: link(deps, `/v2/numbers/${value}`) },
})

/** An area code or an exchange with numbers for sale. */
export const groupResource = <T extends 'areacode' | 'exchange'>(
  deps: Deps,
  type: T,
  { prefix, count }: { prefix: number; count: number },
) => {
  // without the country code
  const id = String(prefix).slice(1)
  const related =
    type === 'areacode' ? `/v2/numbers/available/exchanges?areacode=${id}` : `/v2/numbers/available?starts_with=1${id}`
  return { type, id, attributes: { available_count: count }, links: { related: link(deps, related) } }
}

export const releaseDocument = ({ value, errors, warnings, returns_to, aging_until }: ReleasePlan) => ({
  data: {
    type: 'number_release' as const,
    id: value,
    attributes: {
      value,
      can_release: errors.length === 0,
      errors,
      warnings,
      returns_to,
      aging_until: timeText(aging_until),
    },
  },
})

/** A number of the inventory, as the operator sees it. */
export const inventoryResource = (row: InventoryNumber) => ({
  type: 'inventory_number' as const,
  id: row.number,
  attributes: {
    ...availableAttributes(row.number, row),
    zip: row.zip || null,
    price_class: row.price_class,
    supplier: row.supplier,
    resporg: row.resporg,
    status: row.status,
    account_id: row.account_id,
    aging_until: timeText(row.aging_until),
    status_reason: row.status_reason,
    changed_at: timeText(row.changed_at),
  },
})

export const reservationResource = (deps: Deps, row: ReservationRow) => ({
  type: 'numberreservation' as const,
  id: row.id,
  attributes: {
    status: row.status,
    numbers: row.numbers,
    extended: row.extended,
    callback_url: row.callback_url,
    created_at: timeText(row.created_at),
    expires_at: timeText(row.expires_at),
  },
  links: { self: link(deps, `/v2/numberreservations/${row.id}`) },
})

export function reservationDocument(deps: Deps, row: ReservationRow) {
  const data = reservationResource(deps, row)
  return { data, links: data.links }
}

const integerOf = (id: string | null) => (id === null ? null : Number(id))

export const orderResource = (deps: Deps, row: OrderRow) => ({
  type: 'numberorder' as const,
  id: row.id,
  attributes: {
    status: row.status,
    numbers: row.lines,
    ordered_count: row.ordered_count,
    missing_count: row.missing_count,
    setup_cost: row.setup_cost,
    monthly_cost: row.monthly_cost,
    presets: {
      cnam_id: integerOf(row.presets.cnam_id),
      e911_id: integerOf(row.presets.e911_id),
      primary_route_id: integerOf(row.presets.primary_route_id),
      failover_route_id: integerOf(row.presets.failover_route_id),
      alias: row.presets.alias,
    },
    callback_url: row.callback_url,
    expires_at: timeText(row.expires_at),
    rejection_reason: row.rejection_reason,
    created_at: timeText(row.created_at),
  },
  links: { self: link(deps, `/v2/numberorders/${row.id}`) },
})

/** An order, as the operator sees it. */
export function orderResourceOfAccount(deps: Deps, row: OrderRow) {
  const { attributes, ...rest } = orderResource(deps, row)
  return { ...rest, attributes: { ...attributes, account_id: row.account_id } }
}

export const priceClassResource = ({ name, monthly_cost, setup_cost, changed_at }: PriceClassRow) => ({
  type: 'price_class' as const,
  id: name,
  attributes: { monthly_cost, setup_cost, changed_at: timeText(changed_at) },
})

export const accountPriceResource = ({ name, ...attributes }: ClassPriceRow) => ({
  type: 'account_price' as const,
  id: name,
  attributes,
})

export function orderDocument(deps: Deps, row: OrderRow) {
  const data = orderResource(deps, row)
  return { data, links: data.links }
}
