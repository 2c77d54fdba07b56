import { inventory as api, type inventoryOperator } from '@demarc/client'
import type { DigitFilter } from './search-index.ts'
import type { InventoryStatus, PricedProfile, Price, Profile } from './tables.ts'

/**
 * Whether 11 digits are a number of the North American Numbering Plan that can be assigned (ATIS-0300055 and 47 CFR 52.13): no
 * area code has 9 as its second digit, and neither area code nor exchange is a service code such as 911.
 */
export function isAssignable(number: string): boolean {
  const parts = /^1([2-9][0-8]\d)([2-9]\d\d)\d{4}$/.exec(number)
  const [, area = '', exchange = ''] = parts ?? []
  return parts !== null && !area.endsWith('11') && !exchange.endsWith('11')
}

export const notAssignable = 'Must be an assignable number of the North American Numbering Plan.'

/** An amount in dollars, in ten-thousandths, the precision that prices are stored with. */
export function tenThousandths(amount: string): number {
  const [dollars = '', fraction = ''] = amount.split('.')
  return Number(dollars) * 10_000 + Number(fraction.padEnd(4, '0').slice(0, 4))
}

/** Dollars as text, from ten-thousandths. */
export const dollarsOf = (amount: number): string =>
  `${Math.floor(amount / 10_000)}.${String(amount % 10_000).padStart(4, '0')}`

/** Filters as a request has them. */
export interface AvailableFilter {
  starts_with?: string | undefined
  contains?: string | undefined
  ends_with?: string | undefined
  rate_center?: string | undefined
  state?: string | undefined
  number_type?: Profile['number_type'] | undefined
  max_setup_cost?: string | undefined
  max_monthly_cost?: string | undefined
  spells?: string | undefined
  near_zip?: string | undefined
  consecutive?: number | undefined
}

export const digitFilter = (filter: AvailableFilter): DigitFilter => ({
  starts_with: filter.starts_with,
  ends_with: filter.ends_with,
  contains: [
    ...(filter.contains === undefined ? [] : [filter.contains]),
    ...(filter.spells === undefined ? [] : [api.digitsOfWord(filter.spells)]),
  ],
  consecutive: filter.consecutive,
})

/** ZIP Codes with the same first digits are processed at the same USPS center. */
const zip_prefix = 3

/** The condition for profiles; null if a filter does not depend on them. */
export function profileFilter(filter: AvailableFilter): ((profile: PricedProfile) => boolean) | null {
  const { rate_center, state, number_type, max_setup_cost, max_monthly_cost, near_zip } = filter
  const conditions: ((profile: PricedProfile) => boolean)[] = []
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  if (rate_center) conditions.push((p) => same(p.rate_center, rate_center))
  if (state) conditions.push((p) => same(p.state, state))
  if (number_type) conditions.push((p) => p.number_type === number_type)
  for (const [name, max] of [
    ['setup_cost', max_setup_cost],
    ['monthly_cost', max_monthly_cost],
  ] as const) {
    if (!max) continue
    const limit = tenThousandths(max)
    conditions.push((p) => tenThousandths(p[name]) <= limit)
  }
  if (near_zip) conditions.push((p) => p.zip !== '' && p.zip.slice(0, zip_prefix) === near_zip.slice(0, zip_prefix))
  return conditions.length === 0 ? null : (profile) => conditions.every((holds) => holds(profile))
}

/** The price that a customer expects. Absent: any. */
export interface ExpectedPrice {
  monthly_cost?: string | undefined
  setup_cost?: string | undefined
}

/** Whether a price is another one than expected. */
export function isPriceChanged(price: Price, expected: ExpectedPrice): boolean {
  const differs = (actual: string, wanted: string | undefined) =>
    wanted !== undefined && tenThousandths(actual) !== tenThousandths(wanted)
  return differs(price.monthly_cost, expected.monthly_cost) || differs(price.setup_cost, expected.setup_cost)
}

/** A price as a message says it. */
export const priceText = ({ monthly_cost, setup_cost }: Price): string =>
  `$${shortAmount(monthly_cost)} a month and $${shortAmount(setup_cost)} once`

/** Without zeros behind the cents. */
const shortAmount = (amount: string) => amount.replace(/(\.\d\d\d*?)0+$/, '$1')

/** What a release removes from a number, as sentences. */
export function releaseWarnings(number: {
  e911_id: string | null
  cnam_id: string | null
  primary_route_id: string
  failover_route_id: string | null
  alias: string | null
}): string[] {
  return [
    ...(number.e911_id === null ? [] : ['The emergency address is removed from the number.']),
    ...(number.primary_route_id === '0' && number.failover_route_id === null
      ? []
      : ['The voice routes of the number are removed. Calls to it are no longer delivered.']),
    ...(number.cnam_id === null ? [] : ['The caller ID name is removed from the number.']),
    ...(number.alias === null ? [] : [`The alias “${number.alias}” is removed.`]),
  ]
}

/** What releasing a number does. */
export interface ReleasePlan {
  value: string
  errors: string[]
  warnings: string[]
  returns_to: 'inventory' | 'block_carrier' | 'gaining_carrier'
  aging_until: Date | null
}

/** How long a released number rests before it is for sale again, in days. */
export interface AgingDays {
  longcode: number
  tollfree: number
}

const day_ms = 86_400_000

export const agingUntil = (now: Date, number_type: Profile['number_type'], days: AgingDays): Date =>
  new Date(now.getTime() + (number_type === 'toll-free' ? days.tollfree : days.longcode) * day_ms)

/** Whether the account can order a number: it is available, or a reservation of the account has it. */
export const canOrder = (
  row: { status: InventoryStatus; account_id: string | null; reservation_id: string | null },
  account_id: string,
): boolean => row.status === 'available' || (row.reservation_id !== null && row.account_id === account_id)

/** Which orders of an account need approval. */
export interface ApprovalPolicy {
  approval: 'none' | 'all' | 'above'
  approval_quantity_max: number | null
  approval_monthly_cost_max: string | null
}

export const needsApproval = (
  { approval, approval_quantity_max, approval_monthly_cost_max }: ApprovalPolicy,
  { quantity, monthly_cost }: { quantity: number; monthly_cost: string },
): boolean =>
  approval === 'all' ||
  (approval === 'above' &&
    ((approval_quantity_max !== null && quantity > approval_quantity_max) ||
      (approval_monthly_cost_max !== null && tenThousandths(monthly_cost) > tenThousandths(approval_monthly_cost_max))))

/** Errors of which orders need approval, by field. */
export function approvalErrors(policy: ApprovalPolicy): Record<string, string[]> {
  const limits = (['approval_quantity_max', 'approval_monthly_cost_max'] as const).filter(
    (name) => policy[name] !== null,
  )
  if (policy.approval === 'above')
    return limits.length > 0 ? {} : { approval: ['Give approval_quantity_max or approval_monthly_cost_max.'] }
  return Object.fromEntries(limits.map((name) => [name, ['Is allowed only if approval is "above".']]))
}

/** How long the operator can approve an order. */
export const approval_days = 7

/** Most numbers in the orders of an account that wait for approval, because nobody else can order them. */
export const pendingNumbers_max = 5_000

/** How long a reservation lasts, and how long one extension adds. */
export const reservation_ms = 15 * 60_000

/** Why a number was not ordered or reserved; the same for any reason, because others' numbers are not shown. */
export const notOrderable = 'Is not available.'

/** Errors of a list of numbers by field: numbers listed twice, and those that `errorOf` has an error for. */
export function numberErrors(
  numbers: readonly string[],
  errorOf: (number: string) => string | null,
): Record<string, string[]> {
  const first = new Map<string, number>()
  const errors: Record<string, string[]> = {}
  for (const [i, number] of numbers.entries()) {
    const earlier = first.get(number)
    if (earlier === undefined) first.set(number, i)
    const error = earlier === undefined ? errorOf(number) : `Is the same number as numbers.${earlier}.`
    if (error !== null) errors[`numbers.${i}`] = [error]
  }
  return errors
}

/** Validates how an order selects its numbers. Returns errors by field. */
export function selectionErrors(input: {
  numbers?: readonly string[] | undefined
  quantity?: number | undefined
  filters?: object | undefined
  reservation_id?: string | undefined
}): Record<string, string[]> {
  const { numbers, quantity, filters, reservation_id } = input
  const given = [numbers, quantity, reservation_id].filter((each) => each !== undefined).length
  const one = 'Give numbers, a quantity, or a reservation_id, and only one of them.'
  return {
    ...(given === 1 ? {} : { numbers: [one] }),
    ...(given === 1 && numbers ? numberErrors(numbers, () => null) : {}),
    ...(filters !== undefined && quantity === undefined ? { filters: ['Need a quantity.'] } : {}),
  }
}

type InventoryAction = (typeof inventoryOperator.inventoryActions)[number]

/** The status that each of the operator's actions leads to, and those that allow it. */
const actionRules: readonly { action: InventoryAction; to: InventoryStatus; from: readonly InventoryStatus[] }[] = [
  { action: 'hold', to: 'held', from: ['available'] },
  { action: 'recall', to: 'recalled', from: ['available', 'aging', 'held'] },
  { action: 'make_available', to: 'available', from: ['held', 'recalled', 'ported_out'] },
]

/** The status that an action leads to. */
export const statusAfter = (action: InventoryAction): InventoryStatus => ruleOf(action).to

function ruleOf(action: InventoryAction) {
  const rule = actionRules.find((each) => each.action === action)
  if (!rule) throw new Error(`no rule for ${action}`)
  return rule
}

/** What an action does to a number in this status; undefined if it is not in the inventory. */
export function inventoryChange(
  status: InventoryStatus | undefined,
  action: InventoryAction,
): { outcome: 'changed' | 'unchanged' | 'refused'; reason: string | null } {
  if (status === undefined) return { outcome: 'refused', reason: 'Is not in the inventory.' }
  const { to, from } = ruleOf(action)
  if (status === to) return { outcome: 'unchanged', reason: null }
  if (from.includes(status)) return { outcome: 'changed', reason: null }
  return { outcome: 'refused', reason: `Is ${status.replace('_', ' ')}.` }
}
