import { titleCase } from '../ui/text.ts'

/** Where a number is: its rate center, or toll-free. */

export const typeLabels = { 'toll-free': 'Toll-free' } as const

/** `Bellevue, WA`, as people write it. */
export const placeText = ({
  number_type,
  rate_center,
  state,
}: {
  number_type: string
  rate_center: string | null
  state: string | null
}): string =>
  number_type === 'toll-free' ? 'Toll-free' : [titleCase(rate_center ?? ''), state].filter(Boolean).join(', ')

/** The API's filters for `WA`, `Bellevue`, or `Bellevue, WA`. */
export function rateCenterOf(text: string): { state?: string; rate_center?: string } {
  if (/^[a-z]{2}$/i.test(text)) return { state: text }
  const [, rate_center = '', state] = /^(.*?)(?:,\s*([a-z]{2})?)?$/i.exec(text) ?? []
  return {
    ...(rate_center === '' ? {} : { rate_center: rate_center.trim() }),
    ...(state === undefined ? {} : { state }),
  }
}
