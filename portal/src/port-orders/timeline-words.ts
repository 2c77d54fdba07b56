import type { Seen } from '../account.ts'
import type { Body } from '../api.ts'
import { fieldLabel } from './fields.ts'
import { numbersText } from './words.ts'

/** A port order's events as sentences. */

export type OrderEvent = Body<'getPortOrderTimeline'>['data'][number]
type Attributes = OrderEvent['attributes']

export interface EventText {
  text: string
  /** Details beyond the sentence. */
  detail: string | null
}

const who = { account: 'You', operator: 'We', system: 'The service' } as const satisfies Record<
  Attributes['by'],
  string
>

/** An event as a sentence for the customer or the operator; the type's name if unknown. */
export function eventText(event: Attributes, side: Seen['side']): EventText {
  const name = event.event_type === 'portorder.noted' ? 'private_comment' : event.event_type.replace('portorder.', '')
  const words = eventWords[name]
  if (words === undefined) return { text: name.replaceAll('_', ' '), detail: null }
  const [text, detail = null] = words(
    event.data,
    side === 'operator' && event.by === 'account' ? 'The customer' : who[event.by],
  )
  return { text, detail }
}

type Data = Attributes['data']
type Words = (data: Data, who: string) => readonly [text: string, detail?: string | null]

const eventWords: Readonly<Record<string, Words>> = {
  created: (data, who) => [`${who} ordered the port of ${numbersOf(data)}.`, textOf(data['reason'])],
  changed: (data, who) => [`${who} changed ${fieldsOf(data)}.`],
  presets_changed: (_, who) => [`${who} changed the completion settings.`],
  numbers_changed: (_, who) => [`${who} changed the numbers.`],
  file_requested: (data, who) => [`${who} added a document by URL.`, textOf(data['file'])],
  file_uploaded: (data, who) => [`${who} uploaded a document.`, textOf(data['file'])],
  file_complete: (data) => ['The document was fetched.', textOf(data['file'])],
  file_failed: (data) => ['The document could not be fetched.', textOf(data['reason']) ?? textOf(data['file'])],
  signed: (_, who) => [`${who} signed the LOA. The numbers are reserved for this account.`],
  submitted: () => ['We submitted the order to the losing carrier.'],
  accepted: (data) => [`The losing carrier confirmed ${dayOf(data['completion_date'])} as the port date.`],
  rescheduled: (data) => [`The port was rescheduled to ${dayOf(data['completion_date'])}.`],
  rejected: (data) => [
    `The order was rejected: ${lowered(textOf(data['title']) ?? 'no reason was given')}.`,
    textOf(data['reason']),
  ],
  resubmitted: (_, who) => [`${who} resubmitted the order.`],
  completed: () => ['The port is complete. The numbers are on this account.'],
  canceled: (_, who) => [`${who} canceled the order.`],
  commented: (_, who) => [`${who} added a comment.`],
  // visible only to the operator
  private_comment: () => ['We added a private comment.'],
  expiring: (data) => [
    `The order closes in ${data['days_left'] === 1 ? 'one day' : `${String(data['days_left'])} days`} without activity.`,
  ],
  expired: () => ['The order was closed after 45 days without activity.'],
  preset_failed: (data) => ['Some settings could not be applied to the numbers.', textOf(data['reason'])],
  numbers_failed: (data) => [`${capital(numbersOf(data))} could not be ported.`, textOf(data['reason'])],
  numbers_left_behind: (data) => [`${capital(numbersOf(data))} stayed with the losing carrier.`, namesOf(data)],
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** Lowercases the first letter for use inside a sentence, except for acronyms such as PIN. */
const lowered = (text: string) => (/^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))

const numbersOf = (data: Data) => numbersText(typeof data['numbers_count'] === 'number' ? data['numbers_count'] : 1)

const namesOf = (data: Data) =>
  Array.isArray(data['numbers']) ? data['numbers'].filter((each) => typeof each === 'string').join(', ') : null

/** The labels of the changed fields. */
function fieldsOf(data: Data): string {
  const changed = ['to', 'secrets'].flatMap((name) => namesIn(data[name]))
  const names = [...new Set(changed)].map((name) => lowered(fieldLabel(name)))
  return names.length === 0 ? 'the details' : names.join(', ')
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((each) => typeof each === 'string')
    : typeof value === 'object' && value !== null
      ? Object.keys(value)
      : []

const dayOf = (value: unknown) =>
  typeof value === 'string'
    ? new Date(`${value}T12:00:00Z`).toLocaleDateString('en-US', {
        timeZone: 'UTC',
        month: 'long',
        day: 'numeric',
        weekday: 'long',
      })
    : 'a day'
