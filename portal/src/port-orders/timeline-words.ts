import type { Seen } from '../account.ts'
import type { Body } from '../api.ts'
import { fieldLabel } from './fields.ts'
import { numbersText } from './words.ts'

/** The events of a port order as sentences of a story. */

export type OrderEvent = Body<'getPortOrderTimeline'>['data'][number]
type Attributes = OrderEvent['attributes']

export interface EventText {
  text: string
  /** What it was about, where a sentence is not enough. */
  detail: string | null
}

const who = { account: 'You', operator: 'We', system: 'The service' } as const satisfies Record<
  Attributes['by'],
  string
>

/** An event as a sentence, as that side is told it; one of a type that is not known here by its name. */
export function eventText(event: Attributes, side: Seen['side']): EventText {
  const name = event.event_type === 'portorder.noted' ? 'private_comment' : event.event_type.replace('portorder.', '')
  const words = eventWords[name]
  if (words === undefined) return { text: name.replaceAll('_', ' '), detail: null }
  const [text, detail = null] = words(
    event.data,
    side === 'operator' && event.by === 'account' ? 'The holder' : who[event.by],
  )
  return { text, detail }
}

type Data = Attributes['data']
type Words = (data: Data, who: string) => readonly [text: string, detail?: string | null]

const eventWords: Readonly<Record<string, Words>> = {
  created: (data, who) => [`${who} ordered the port of ${numbersOf(data)}.`, textOf(data['reason'])],
  changed: (data, who) => [`${who} changed ${fieldsOf(data)}.`],
  presets_changed: (_, who) => [`${who} changed what is set on completion.`],
  numbers_changed: (_, who) => [`${who} changed the numbers.`],
  file_requested: (data, who) => [`${who} had a document fetched.`, textOf(data['file'])],
  file_uploaded: (data, who) => [`${who} uploaded a document.`, textOf(data['file'])],
  file_complete: (data) => ['The document was fetched.', textOf(data['file'])],
  file_failed: (data) => ['The document could not be fetched.', textOf(data['reason']) ?? textOf(data['file'])],
  signed: (_, who) => [`${who} signed the letter. The numbers are claimed for this account.`],
  submitted: () => ['We sent the order to the losing carrier.'],
  accepted: (data) => [`The losing carrier agreed: the numbers move on ${dayOf(data['completion_date'])}.`],
  rescheduled: (data) => [`The move was put off to ${dayOf(data['completion_date'])}.`],
  rejected: (data) => [
    `The order was rejected: ${lowered(textOf(data['title']) ?? 'no reason was given')}.`,
    textOf(data['reason']),
  ],
  resubmitted: (_, who) => [`${who} resubmitted the order.`],
  completed: () => ['The numbers have moved. They are on this account.'],
  canceled: (_, who) => [`${who} cancelled the order.`],
  commented: (_, who) => [`${who} wrote a comment.`],
  // shown to the operator alone
  private_comment: () => ['We wrote a private comment.'],
  expiring: (data) => [
    `${data['days_left'] === 1 ? 'One more day' : `${String(data['days_left'])} more days`}, and the order is closed unless somebody goes on with it.`,
  ],
  expired: () => ['The order was closed, because nobody had moved it for 45 days.'],
  preset_failed: (data) => ['Something could not be set on the numbers.', textOf(data['reason'])],
  numbers_failed: (data) => [`${capital(numbersOf(data))} could not be taken over.`, textOf(data['reason'])],
  numbers_left_behind: (data) => [`${capital(numbersOf(data))} stayed with the losing carrier.`, namesOf(data)],
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** Inside of a sentence. A word in capitals, such as PIN, stays. */
const lowered = (text: string) => (/^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))

const numbersOf = (data: Data) => numbersText(typeof data['numbers_count'] === 'number' ? data['numbers_count'] : 1)

const namesOf = (data: Data) =>
  Array.isArray(data['numbers']) ? data['numbers'].filter((each) => typeof each === 'string').join(', ') : null

/** The fields that were changed or cleared, by their labels. */
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
