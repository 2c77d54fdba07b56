import { countText } from '@demarc/client/rules'

/** Texts for audit-log events. */

/** Names of event subjects whose type is not a plain word. */
const subjects: Readonly<Record<string, string>> = {
  cdrexport: 'call-record export',
  cdr_ingest: 'call-record delivery',
  cnam: 'caller ID name',
  e911: 'emergency address',
  e911_dataset: 'street data',
  e911_validation: 'address check',
  portorder: 'port order',
  portorder_calendar: 'port-order calendar',
}

const plain = (text: string): string => text.replaceAll('_', ' ')

export const subjectText = (type: string): string => subjects[type] ?? plain(type)

/** `cnam.approved`: Caller ID name approved. */
export function eventText(type: string): string {
  const [subject = '', ...happened] = type.split('.')
  const text = `${subjectText(subject)} ${happened.map(plain).join(', ')}`.trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The actor: a person (by name if known), a key, or the service. */
export function actorText(actor: string, personName: (id: string) => string | undefined): string {
  const [kind = '', ...rest] = actor.split(':')
  const whose = kind === 'operator' ? rest : [kind, ...rest]
  const by = kind === 'operator' ? ' (operator)' : ''
  if (kind === 'system') return `The service (${rest.join(':')})`
  const id = whose[1] ?? whose[0] ?? ''
  if (whose[0] === 'person') return `${personName(id) ?? `Person ${id}`}${by}`
  return `Key ${whose.at(-1) ?? ''}${by}`
}

interface KnownPerson {
  email: string
  is_operator: boolean
  accounts: readonly { name: string }[]
}

/** A person's email, and their account if the entry is not on the account's chain (a sign-in). */
export function personText({ email, is_operator, accounts }: KnownPerson, account_id: string | null): string {
  if (account_id !== null) return email
  const [first, ...others] = accounts
  if (is_operator || first === undefined) return email
  return `${email}, of ${first.name}${others.length === 0 ? '' : ` and ${countText(others.length, 'other account')}`}`
}

/** An event's details: before and after if it has both, otherwise by field name. */
export function factsOf(data: unknown): { name: string; before?: string; now: string }[] {
  if (typeof data !== 'object' || data === null) return []
  const { from, to, ...others } = data as Record<string, unknown>
  const changed = isRecord(from) && isRecord(to) ? changesOf(from, to) : scalarChange(from, to)
  return [...changed, ...Object.entries(others).map(([name, value]) => ({ name, now: valueText(value) }))]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const changesOf = (from: Record<string, unknown>, to: Record<string, unknown>) =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].map((name) => ({
    name,
    before: valueText(from[name]),
    now: valueText(to[name]),
  }))

function scalarChange(from: unknown, to: unknown): { name: string; before?: string; now: string }[] {
  if (from === undefined && to === undefined) return []
  if (from === undefined) return [{ name: 'to', now: valueText(to) }]
  return [{ name: 'it', before: valueText(from), now: valueText(to) }]
}

const valueText = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return '—'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Describes where a chain is broken. */
export function brokenText({ broken_at, events }: { broken_at: number | null; events: number }): string {
  const count = events.toLocaleString('en-US')
  if (broken_at === null) return ''
  if (broken_at > events) return `the entries after entry ${count} are missing.`
  return `entry ${broken_at.toLocaleString('en-US')} of ${count} doesn’t match the digest of the previous one. Entries were changed, removed, or added there outside of this service.`
}
