import { deliveryStates, id, matching, oneOf, searchOf, text, integer } from '../search.ts'

/** URL parameters of the operator's pages. */

export const sides = ['operator', 'carrier', 'account', 'all'] as const

export type QueueSearch = ReturnType<typeof queueSearch>
export const queueSearch = searchOf({
  /** Who the orders wait on; the default is the operator. */
  who: oneOf(sides),
  /** The open order. */
  order: id,
  offset: integer,
})

/** Names awaiting approval, or rejected names. */
export const approvalsSearch = searchOf({ names: oneOf(['rejected']), offset: integer })
export type ApprovalsSearch = ReturnType<typeof approvalsSearch>

export const inventoryStatuses = ['available', 'reserved', 'active', 'aging', 'held', 'recalled', 'ported_out'] as const

export const orderStatuses = [
  'pending_approval',
  'completed',
  'partial',
  'failed',
  'rejected',
  'canceled',
  'expired',
] as const

export const portoutStatuses = ['open', 'confirmed', 'rejected', 'completed', 'canceled'] as const

export const portoutsSearch = searchOf({ status: oneOf(portoutStatuses), offset: integer })
export type PortoutsSearch = ReturnType<typeof portoutsSearch>

/** Of all tabs: a tab that is being left still reads its own. */
export const inventorySearch = searchOf({
  stock: oneOf(['low']),
  /** Leading digits, a state, or a rate center. */
  find: text,
  status: oneOf(inventoryStatuses),
  /** The status of number orders. */
  orders: oneOf(orderStatuses),
  type: oneOf(['toll-free']),
  /** The account that has the numbers. */
  of: id,
  offset: integer,
})
export type InventorySearch = ReturnType<typeof inventorySearch>

export const accountsSearch = searchOf({ find: text, offset: integer })

/** Audit entries per page. */
export const auditLimit = 50

/** The offset of the page with the entry that has this many newer ones; undefined for the first page. */
export const pageOfLog = (newer: number): number | undefined => newer - (newer % auditLimit) || undefined

export type AuditSearch = ReturnType<typeof auditSearch>
export const auditSearch = searchOf({
  /** Account id; 0 for the operator's own entries. */
  of: id,
  /** The actor as stored in events: `person:3`. */
  actor: text,
  /** Event type. */
  what: text,
  /** Type and id of the subject. */
  subject: text,
  subject_id: text,
  /** Times in UTC. */
  from: text,
  before: text,
  /** The open event. */
  event: text,
  offset: integer,
})

/** The time the demo clock was moved from. */
export const clockSearch = searchOf({
  since: (value) => (Number.isNaN(Date.parse(text(value) ?? '')) ? undefined : text(value)),
})

export const streetDataSearch = searchOf({
  /** The dataset whose report is shown; the newest by default. */
  dataset: id,
  /** The coverage of the listed places. */
  covered: oneOf(['covered', 'partial', 'thin']),
  offset: integer,
  /** The expanded state. */
  counties_of: matching(/^[A-Z]{2}$/),
  county_offset: integer,
})

export const ingestSearch = searchOf({
  /** The outcome of the listed deliveries. */
  outcome: oneOf(['rejected', 'failed']),
  /** The delivery whose rejected lines are open. */
  refused: id,
  offset: integer,
})

export const jobsTabs = ['jobs', 'deliveries'] as const
export const jobStates = ['dead', 'due', 'running', 'scheduled'] as const

export const jobsSearch = searchOf({
  view: oneOf(jobsTabs),
  /** Job state. */
  job: oneOf(jobStates),
  kind: text,
  /** Delivery status. */
  delivery: oneOf(deliveryStates),
  /** The account the listed deliveries belong to. */
  receiver: id,
  /** The deliveries' scheme, host, and port. */
  origin: text,
  offset: integer,
})
