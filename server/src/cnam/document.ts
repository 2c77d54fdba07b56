import type { Deps } from '../platform/context.ts'
import { link } from '../platform/http/binding.ts'
import { timeText } from '../platform/clock.ts'
import { expectedDays } from './rules.ts'
import type { CnamRow } from './store.ts'

/** How caller ID names appear in responses. */

/** Path of a caller ID name. */
export const cnamPath = (id: string): string => `/v2/cnams/${id}`

type LinkContext = Pick<Deps, 'public_url' | 'time_zone'>

/** A record, with its account's name where the response shows it. */
export type CnamWithAccount = CnamRow & { account_name?: string | undefined }

export const cnamAttributes = (deps: LinkContext, row: CnamWithAccount) => ({
  value: row.value,
  is_approved: row.is_approved,
  approval_datetime: timeText(row.approved_at),
  creation_datetime: timeText(row.created_at),
  rejection_reason: row.rejection_reason,
  ...expectedDays(row.approved_at, deps.time_zone),
  ...(row.account_name === undefined ? {} : { account_id: row.account_id, account_name: row.account_name }),
})

/** The record as lists show it. */
export const cnamResource = (deps: LinkContext, row: CnamWithAccount) => ({
  type: 'cnam' as const,
  id: row.id,
  attributes: cnamAttributes(deps, row),
  links: { self: link(deps, cnamPath(row.id)) },
})

/** The record with the first of its numbers, ascending, and their total count. */
export function cnamDocument(
  deps: LinkContext,
  row: CnamWithAccount,
  numbers: { values: readonly string[]; count: number },
) {
  const data = cnamResource(deps, row)
  const relationships = {
    numbers: {
      data: numbers.values.map((id) => ({ type: 'number' as const, id })),
      links: { related: link(deps, `/v2/numbers?cnam_id=${row.id}`) },
      meta: { count: numbers.count },
    },
  }
  return { data: { ...data, relationships }, links: data.links }
}
