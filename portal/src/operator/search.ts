import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** What of the operator's desk is in its URLs. */

export const sides = ['operator', 'carrier', 'account', 'all'] as const

export interface QueueSearch {
  /** Whose move it is; ours when it is not there. */
  who?: (typeof sides)[number]
  /** The order that is shown beside the list. */
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

/** Of the names to approve: those that wait, or those that were rejected. */
export interface ApprovalsSearch {
  names?: 'rejected'
  offset?: number
}

export const approvalsSearch = (raw: Record<string, unknown>): ApprovalsSearch => {
  const [names, offset] = [oneOfIn(raw, 'names', ['rejected'] as const), wholeIn(raw, 'offset')]
  return { ...(names && { names }), ...(offset && { offset }) }
}

/** Of the list of accounts. */
export const accountsSearch = (raw: Record<string, unknown>): { find?: string; offset?: number } => {
  const [find, offset] = [textIn(raw, 'find'), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(offset && { offset }) }
}

/** Entries of the log on a page. */
export const auditLimit = 50

/** Where the page begins that has the entry after so many newer ones; the first has no place in the URL. */
export const pageOfLog = (newer: number): number | undefined => newer - (newer % auditLimit) || undefined

export interface AuditSearch {
  /** Id of the account; 0 for our own affairs. */
  of?: string
  /** Who did it, as the events have it: `person:3`. */
  actor?: string
  /** What happened: the type of the event. */
  what?: string
  /** Kind and id of what it was about. */
  subject?: string
  subject_id?: string
  /** Times in UTC. */
  from?: string
  before?: string
  /** The event that is opened. */
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

/** Of the demo clock: the time from which it was moved. */
export const clockSearch = (raw: Record<string, unknown>): { since?: string } => {
  const since = textIn(raw, 'since')
  return since === undefined || Number.isNaN(Date.parse(since)) ? {} : { since }
}
