import { addDays } from '@demarc/client'

/** How long the numbers of a rate center last, from the orders of the last 90 days. Pure. */

export interface Demand {
  /** Orders in the three last periods of 30 days, oldest first. */
  ordered: readonly [number, number, number]
  available: number
  /** Aging numbers that return within 90 days. */
  returning: number
}

export const forecast_days = 90
export const period_days = 30
/** Beyond this, 90 days of orders say nothing. */
const horizon_days = 365

/**
 * The rate is the mean of 90 days, or of the last 30 if there is a trend: the first and the last period differ by more than twice
 * the square root of their sum, which independent orders exceed by chance once in 20 times. A trend is not continued.
 */
export function forecastOf({ ordered, available, returning }: Demand, today: string) {
  const [first, middle, last] = ordered
  const difference = last - first
  const trend = difference ** 2 <= 4 * (first + last) ? 'steady' : difference > 0 ? 'rising' : 'falling'
  const total = first + middle + last
  const [orders, days] = trend === 'steady' ? [total, forecast_days] : [last, period_days]
  const days_left = orders === 0 ? null : Math.floor((available * days) / orders)
  return {
    ordered_30_days: last,
    ordered_90_days: total,
    trend,
    ordered_per_day: (orders / days).toFixed(2),
    days_left,
    runs_out_on: days_left === null || days_left > horizon_days ? null : addDays(today, days_left),
    returning_90_days: returning,
    needed_90_days: Math.max(0, Math.ceil((orders * forecast_days) / days) - available - returning),
  } as const
}
