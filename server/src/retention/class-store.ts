import { sql, type RawBuilder } from 'kysely'

/**
 * What is deleted, as data: by age, and on request as an account's personal data. Rows are `t` in every condition.
 * docs/operate/retention.md lists the same classes.
 */

/** Periods by setting. `null`: kept forever. */
export interface Periods {
  call_records: string | null
  exports: string | null
  order_documents: string | null
  notifications: string | null
  closed_account_events: string | null
}

export interface RowClass {
  table: string
  /** Tables whose rows go with those of the class: the column with its id. */
  children?: readonly (readonly [table: string, column: string])[]
  /** Columns with digests of files. */
  files?: readonly string[]
  /** A table with columns that conditions need, one row for each of the class. */
  join?: RawBuilder<unknown>
}

export interface AgedClass extends RowClass {
  /** A setting's period, or a fixed one. */
  period: keyof Periods | { fixed: string }
  /** When the period begins; null: the row is not deleted by age. */
  since: RawBuilder<unknown>
  /** Rows that are deleted by age; by default all. A condition of its own, and not a case in `since`, which no index would serve. */
  where?: RawBuilder<unknown>
  /** Whether the period of a row ended; by default, whether `since` is not after the cutoff. An index must serve it. */
  ended?: (cutoff: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Rows of no account, whose times are the database's: moving the demo clock signs nobody out. */
  accountless?: true
}

export interface PersonalClass extends RowClass {
  /** The account's rows; by default those with its id. */
  of?: (account_id: string) => RawBuilder<unknown>
  /** Rows that the law, or another account, keeps. */
  kept?: { where: (now: Date) => RawBuilder<unknown>; reason: string }
}

/** 47 CFR 42.6: carriers that bill toll calls keep the records of each for 18 months. */
export const callRecords_min = '18 months'
/** 47 CFR 64.1120(a)(1)(ii): the submitting carrier keeps the verification of a subscriber's authorization for two years. */
const authorization_min = '2 years'

const attempts = [['notification_attempt', 'notification_id']] as const
const recipients = [['notice_recipient', 'notice_id']] as const
const pulls = [['port_order_document_attempt', 'document_id']] as const
const fixed = (period: string) => ({ fixed: period })

/** Classes that are deleted by age, besides call records and the events of closed accounts. */
export const agedClasses: Readonly<Record<string, AgedClass>> = {
  exports: {
    table: 'cdr_export',
    period: 'exports',
    since: sql`t.finished_at`,
    where: sql`t.status <> 'processing'`,
    files: ['sha256'],
  },
  e911_validations: {
    table: 'e911_validation',
    period: 'exports',
    since: sql`t.expires_at`,
    files: ['given_sha256', 'sha256'],
  },
  order_documents: {
    table: 'port_order_document',
    period: 'order_documents',
    join: sql`join port_order o on o.account_id = t.account_id and o.id = t.port_order_id`,
    since: sql`o.entered_at`,
    where: sql`t.status in ('complete', 'error') and o.status in ('Completed', 'Canceled', 'Abandoned', 'Hard_canceled')`,
    children: pulls,
    files: ['sha256'],
  },
  notifications: {
    table: 'notification',
    period: 'notifications',
    since: sql`t.created_at`,
    where: sql`t.status <> 'pending'`,
    children: attempts,
  },
  notices: { table: 'notice', period: 'notifications', since: sql`t.created_at`, children: recipients },
  invitations: {
    table: 'invitation',
    period: fixed('90 days'),
    since: sql`coalesce(t.ended_at, t.expires_at)`,
    where: sql`t.account_id is not null`,
  },
  sessions: {
    table: 'person_session',
    period: fixed('0 days'),
    since: sql`least(t.last_used_at + interval '12 hours', t.started_at + interval '30 days')`,
    ended: (cutoff) =>
      sql`(t.last_used_at <= ${cutoff} - interval '12 hours' or t.started_at <= ${cutoff} - interval '30 days')`,
    accountless: true,
  },
  sign_in_tickets: {
    table: 'sign_in_ticket',
    period: fixed('10 minutes'),
    since: sql`t.created_at`,
    accountless: true,
  },
  passkey_tickets: {
    table: 'used_passkey_ticket',
    period: fixed('10 minutes'),
    since: sql`t.used_at`,
    accountless: true,
  },
  known_devices: {
    table: 'known_device',
    period: fixed('180 days'),
    since: sql`t.last_used_at`,
    accountless: true,
  },
}

const hasRecentLoa = (now: Date, order: RawBuilder<unknown>) => sql`exists (
  select from port_order_loa l where l.account_id = t.account_id and l.port_order_id = ${order}
    and l.signed_at > ${now}::timestamptz - ${authorization_min}::interval)`

const loaReason = 'The LOA was signed less than two years ago: 47 CFR 64.1120(a)(1)(ii).'

const isMember = (account_id: string) =>
  sql`exists (select from membership m where m.person_id = t.id and m.account_id = ${account_id})`
const isMemberElsewhere = (account_id: string) =>
  sql`exists (select from membership m where m.person_id = t.id and m.account_id is distinct from ${account_id})`

const personTables = [
  'person_session',
  'known_device',
  'sign_in_ticket',
  'recovery_code',
  'passkey',
  'openid_identity',
  'notice_recipient',
  'notice_preference',
  'membership',
].map((table) => [table, 'person_id'] as const)

/** An account's personal data, besides call records, event details, and its name, in the order of deletion. */
export const personalClasses: Readonly<Record<string, PersonalClass>> = {
  exports: { table: 'cdr_export', files: ['sha256'] },
  e911_validations: { table: 'e911_validation', files: ['given_sha256', 'sha256'] },
  notifications: { table: 'notification', children: attempts },
  notices: { table: 'notice', children: recipients },
  order_documents: {
    table: 'port_order_document',
    children: pulls,
    files: ['sha256'],
    kept: { where: (now) => sql`t.kind = 'loa' and ${hasRecentLoa(now, sql`t.port_order_id`)}`, reason: loaReason },
  },
  port_order_comments: { table: 'port_order_comment' },
  port_orders: {
    table: 'port_order',
    children: [
      ['port_order_claim', 'port_order_id'],
      ['port_order_loa', 'port_order_id'],
      ['port_order_number', 'port_order_id'],
    ],
    kept: { where: (now) => hasRecentLoa(now, sql`t.id`), reason: loaReason },
  },
  calendar_links: { table: 'port_order_calendar' },
  port_outs: { table: 'portout', children: [['portout_number', 'portout_id']] },
  number_orders: { table: 'number_order' },
  // an active one ends within minutes, and has to release its numbers
  number_reservations: {
    table: 'number_reservation',
    of: (account_id) => sql`t.account_id = ${account_id} and t.status <> 'active'`,
  },
  e911_addresses: { table: 'e911_address' },
  caller_id_names: { table: 'cnam' },
  voice_routes: { table: 'route', of: (account_id) => sql`t.account_id = ${account_id} and t.id <> 0` },
  access_keys: { table: 'access_key' },
  invitations: { table: 'invitation' },
  people: {
    table: 'person',
    of: (account_id) => sql`${isMember(account_id)} and not ${isMemberElsewhere(account_id)}`,
    children: personTables,
  },
  shared_people: {
    table: 'person',
    of: (account_id) => sql`${isMember(account_id)} and ${isMemberElsewhere(account_id)}`,
    kept: { where: () => sql`true`, reason: 'They belong to another account or to the operator, too.' },
  },
  // of the others; those of deleted people go with them
  memberships: {
    table: 'membership',
    of: (account_id) => sql`t.account_id = ${account_id} and exists (
      select from membership o where o.person_id = t.person_id and o.account_id is distinct from ${account_id})`,
  },
}

/** Tables with rows of an account that its personal-data deletion leaves, and why. A test compares this list with the database. */
export const tablesLeft: Readonly<Record<string, string>> = {
  account_price: 'It has prices.',
  alert: 'It has ids, months, and digests.',
  cdr_cold: 'Deleted with the call records of the month.',
  cdr_cold_file: 'Deleted with the call records of the month.',
  cdr_ingest: 'Deliveries of the operator: counts, and a file of rejected lines that expires within days.',
  cdr_ledger: 'Deleted with the call records of the month.',
  cdr_migration_month: 'It has months.',
  cdr_move: 'It has the shard.',
  cdr_move_month: 'It has months.',
  cdr_shard: 'It has the shard.',
  inventory_number: 'The carrier’s numbers. Their callback URL is deleted.',
  job: 'It has ids.',
  job_turn: 'It has counters.',
  number: 'An account with numbers is not deleted.',
  number_policy: 'It has limits.',
  personal_data_deletion: 'The report.',
}
