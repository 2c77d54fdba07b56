import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iCalendar, type CalendarDay } from './icalendar.ts'

const day: CalendarDay = {
  uid: 'portorder-1042@demarc.example',
  date: '2026-11-24',
  summary: 'Port: Front desk (1 number)',
  description: 'Port order 1042, Accepted.',
  url: 'https://demarc.example/port-orders/1042',
  modified_at: new Date('2026-11-20T21:35:34.198Z'),
  sequence: 2,
  status: 'CONFIRMED',
}

/** The lines as a reader sees them: unfolded (RFC 5545, 3.1). */
const unfolded = (calendar: string) => calendar.replaceAll('\r\n ', '').split('\r\n')

test('an event lasts a day, is identified by its order, and is replaced when its sequence increases', () => {
  const lines = unfolded(iCalendar('Port orders', [day]))
  for (const line of [
    'UID:portorder-1042@demarc.example',
    'DTSTART;VALUE=DATE:20261124',
    'DTSTAMP:20261120T213534Z',
    'SEQUENCE:2',
    'STATUS:CONFIRMED',
    'SUMMARY:Port: Front desk (1 number)',
  ])
    assert.ok(lines.includes(line), line)
})

test('iCalendar special characters are escaped, and control characters are removed', () => {
  const summary = 'A\\B; C, D\r\nEND:VEVENT\u0007'
  const lines = unfolded(iCalendar('Port orders', [{ ...day, summary }]))
  assert.ok(lines.includes('SUMMARY:A\\\\B\\; C\\, D\\nEND:VEVENT'))
  assert.equal(lines.filter((line) => line === 'END:VEVENT').length, 1)
})

test('no line has more than 75 octets, and no character is split', () => {
  for (const character of ['a', 'é', '漢', '🦷']) {
    const summary = character.repeat(100)
    const calendar = iCalendar('Port orders', [{ ...day, summary }])
    for (const line of calendar.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
    assert.ok(unfolded(calendar).includes(`SUMMARY:${summary}`))
    assert.doesNotMatch(calendar, /\uFFFD/)
  }
})

test('every line ends with CR LF, including the last', () => {
  const calendar = iCalendar('Port orders', [day, day])
  assert.equal(calendar.replaceAll('\r\n', '').match(/[\r\n]/), null)
  assert.ok(calendar.endsWith('END:VCALENDAR\r\n'))
})
