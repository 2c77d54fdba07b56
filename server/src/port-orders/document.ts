import { portOrders } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { link } from '../platform/http/binding.ts'
import { shownSecrets } from './details.ts'
import { costText, presetsWaiting, toSecond, withPlus } from './rules.ts'
import type { CommentRow, OrderRow } from './store.ts'
import type { OrderView } from './view.ts'

/** Port orders as resources of responses and notifications. */

type LinkContext = Pick<Deps, 'public_url' | 'time_zone'>

const selfOf = (deps: LinkContext, id: string) => ({ self: link(deps, `/v2/portorders/${id}`) })

/** An order, with masked secrets. */
export function orderResource(deps: LinkContext, { order: row, comments, documents, signing, waiting }: OrderView) {
  const scheduled = waiting ? presetsWaiting(row, deps.time_zone) : null
  return {
    type: 'portorder' as const,
    id: row.id,
    attributes: {
      alias: row.alias,
      billing_address: {
        city: row.city,
        country: row.country,
        state: row.state,
        street: row.street,
        street2: row.street2 === '' ? null : row.street2,
        zip: row.zip,
      },
      billing_name: row.billing_name,
      billing_number: row.billing_number,
      business_documents: documents.map(({ filename, status }) => ({ filename, status })),
      comments: comments.map((comment) => ({ id: comment.id, ...commentAttributes(comment) })),
      company: row.company,
      cost: costText(row.price, row.numbers_count),
      desired_completion_date: row.desired_completion_date,
      enable_cnam_lookups: row.enable_cnam_lookups,
      group_id: row.group_id,
      loa_details: { cc: row.loa_cc, email: row.loa_email },
      numbers: row.numbers.map(withPlus),
      numbers_count: row.numbers_count,
      ...shownSecrets(row),
      presets: presetsOf(row),
      provider: row.provider,
      provider_account: row.provider_account,
      ...statusAttributes(row),
      status_url: row.status_url,
      usage_type: row.usage_type,
      created_at: toSecond(row.created_at),
      modified_at: toSecond(row.modified_at),
      completion_date: row.completion_date,
      rejection: rejectionOf(row),
      next: nextOf(row),
      presets_waiting: scheduled && { presets: scheduled.presets, until: toSecond(scheduled.until) },
      loa: signing ? { signed_at: toSecond(signing.signed_at), facts_sha256: signing.facts_sha256 } : null,
    },
    links: selfOf(deps, row.id),
  }
}

/** `{data, links}` of one order. */
export function orderDocument(deps: LinkContext, view: OrderView) {
  const data = orderResource(deps, view)
  return { data, links: data.links }
}

/** The contract requires a null time while Pending. */
const statusAttributes = (row: OrderRow) => ({
  status: row.status,
  status_updated_at: row.status === 'Pending' ? null : toSecond(row.entered_at),
})

export function statusDocument(deps: LinkContext, row: OrderRow) {
  const links = selfOf(deps, row.id)
  return { data: { type: 'portorder' as const, id: row.id, attributes: statusAttributes(row), links }, links }
}

const number = (id: string | null) => (id === null ? null : Number(id))

const presetsOf = (row: OrderRow) => ({
  cnam_id: number(row.cnam_id),
  e911_id: number(row.e911_id),
  primary_route_id: number(row.primary_route_id),
  failover_route_id: number(row.failover_route_id),
  alias: row.number_alias,
})

/** Who acts next. */
export function nextOf(row: OrderRow) {
  const { who, what, becomes } = portOrders.nextStepOf(row)
  return { who, what, due_at: row.due_at === null ? null : toSecond(row.due_at), becomes }
}

/** The last rejection, with its catalog entry. */
function rejectionOf(row: OrderRow) {
  if (row.rejection_raw === null || row.rejected_at === null) return null
  const { code, raw, entry } = portOrders.classify(row.rejection_raw)
  const { title, cause, who, field, fix, business_days } = entry
  return {
    code,
    raw,
    title,
    cause,
    who,
    field,
    fix,
    business_days: [...business_days],
    reason: row.rejection_reason,
    rejected_at: toSecond(row.rejected_at),
  }
}

const commentAttributes = (comment: CommentRow) => ({
  text: comment.text,
  author: comment.author,
  private: comment.is_private,
  created_at: toSecond(comment.created_at),
})

export const commentResource = (deps: LinkContext, comment: CommentRow) => ({
  type: 'portorder_comment' as const,
  id: comment.id,
  attributes: commentAttributes(comment),
  links: { self: link(deps, `/v2/portorders/${comment.port_order_id}/comments`) },
})

/** The orders of one request, with their common status. */
export function groupDocument(deps: LinkContext, group_id: string, rows: readonly OrderRow[]) {
  const status = portOrders.groupStatus(rows.map((r) => r.status)) ?? 'Canceled'
  const links = { self: link(deps, `/v2/portorders/groups/${group_id}`) }
  const orders = rows.map(({ id, status, alias, provider, numbers_count }) => ({
    id,
    status,
    alias,
    provider,
    numbers_count,
  }))
  return { data: { type: 'portorder_group' as const, id: group_id, attributes: { status, orders }, links }, links }
}

/** An order in the operator's queue. */
export const queuedResource = (deps: LinkContext, row: OrderRow, account_name: string, now: Date) => ({
  type: 'portorder' as const,
  id: row.id,
  attributes: {
    account_id: row.account_id,
    account_name,
    alias: row.alias,
    group_id: row.group_id,
    provider: row.provider,
    numbers_count: row.numbers_count,
    cost: costText(row.price, row.numbers_count),
    status: row.status,
    since: toSecond(row.entered_at),
    next: nextOf(row),
    overdue: row.due_at !== null && row.due_at < now,
    completion_date: row.completion_date,
  },
  links: selfOf(deps, row.id),
})
