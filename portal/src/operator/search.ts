import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** URL parameters of the operator's pages. */

export const sides = ['operator', 'carrier', 'account', 'all'] as const

export interface QueueSearch {
  /** Who the orders wait on; the default is the operator. */
  who?: (typeof sides)[number]
  /** The open order. */
  order?: string
  offset?: number
}

export const queueSearch = (raw: Record<string, unknown>): QueueSearch => {
  const [who, order, offset] = [oneOfIn(raw, 'who', sides), textIn(raw, 'order'), wholeIn(raw, 'offset')]
  return {
    ...(who && { who }),
    ...(order !== undefined && /^\d{1,18}$/.test(order) && { order }),
    ...(offset && { offset }),
  }
}

/** Names awaiting approval, or rejected names. */
export interface ApprovalsSearch {
  names?: 'rejected'
  offset?: number
}

export const approvalsSearch = (raw: Record<string, unknown>): ApprovalsSearch => {
  const [names, offset] = [oneOfIn(raw, 'names', ['rejected'] as const), wholeIn(raw, 'offset')]
  return { ...(names && { names }), ...(offset && { offset }) }
}

/** URL parameters of the accounts page. */
export const accountsSearch = (raw: Record<string, unknown>): { find?: string; offset?: number } => {
  const [find, offset] = [textIn(raw, 'find'), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(offset && { offset }) }
}

/** Audit entries per page. */
export const auditLimit = 50

/** The offset of the page with the entry that has this many newer ones; undefined for the first page. */
export const pageOfLog = (newer: number): number | undefined => newer - (newer % auditLimit) || undefined

export interface AuditSearch {
  /** Account id; 0 for the operator's own entries. */
  of?: string
  /** The actor as stored in events: `person:3`. */
  actor?: string
  /** Event type. */
  what?: string
  /** Type and id of the subject. */
  subject?: string
  subject_id?: string
  /** Times in UTC. */
  from?: string
  before?: string
  /** The open event. */
  event?: string
  offset?: number
}

export const auditSearch = (raw: Record<string, unknown>): AuditSearch => {
  const names = ['of', 'actor', 'what', 'subject', 'subject_id', 'from', 'before', 'event'] as const
  const texts = names.flatMap((name) => {
    const text = textIn(raw, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  const offset = wholeIn(raw, 'offset')
  return { ...Object.fromEntries(texts), ...(offset && { offset }) }
}

/** The time the demo clock was moved from. */
export const clockSearch = (raw: Record<string, unknown>): { since?: string } => {
  const since = textIn(raw, 'since')
  return since === undefined || Number.isNaN(Date.parse(since)) ? {} : { since }
}
