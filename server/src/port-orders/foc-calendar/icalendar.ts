/** Calendars of whole days as iCalendar text (RFC 5545). Pure. */

export interface CalendarDay {
  uid: string
  /** `YYYY-MM-DD`. */
  date: string
  summary: string
  description: string
  url: string
  modified_at: Date
  /** Increases when the date changes, so that applications replace their copy (3.8.7.4). */
  sequence: number
  status: 'CONFIRMED' | 'CANCELLED'
}

/** The calendar, with lines ended and folded according to RFC 5545 section 3.1. */
export function iCalendar(name: string, days: readonly CalendarDay[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Demarc//Port orders//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${text(name)}`,
    `NAME:${text(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...days.flatMap(event),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

const event = (day: CalendarDay): string[] => [
  'BEGIN:VEVENT',
  `UID:${text(day.uid)}`,
  `DTSTAMP:${utc(day.modified_at)}`,
  `LAST-MODIFIED:${utc(day.modified_at)}`,
  `SEQUENCE:${day.sequence}`,
  // without an end it lasts one day (3.6.1)
  `DTSTART;VALUE=DATE:${day.date.replaceAll('-', '')}`,
  `SUMMARY:${text(day.summary)}`,
  `DESCRIPTION:${text(day.description)}`,
  `URL:${day.url}`,
  `STATUS:${day.status}`,
  // does not mark the day as busy
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

const utc = (time: Date): string => `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** TEXT (3.3.11): escapes backslash, semicolon, comma and line break, and removes other control characters. */
const text = (value: string): string =>
  value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|\r|\n/g, '\\n')
    .replaceAll(/(?!\t)\p{Cc}/gu, '')

const line_octets = 75

/** Folds long lines: at most 75 octets each, continued after a space, without splitting a character. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= line_octets) return line
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    // the space at the beginning of a continuation counts
    if (octets + size > (parts.length === 0 ? line_octets : line_octets - 1)) {
      parts.push(part)
      part = ''
      octets = 0
    }
    part += character
    octets += size
  }
  return [...parts, part].join('\r\n ')
}
