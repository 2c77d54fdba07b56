import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notices } from '@demarc/client'
import { mailStateOf, nextSummaryAt, noticeContent, type NoticeFacts } from './rules.ts'

const facts: NoticeFacts = {
  order: { alias: 'Front desk', numbers_count: 2, provider: 'Lakeview Telephone' },
  address: { label: 'Practice' },
  time_zone: 'America/Los_Angeles',
}
const occurred_at = new Date('2026-11-20T18:00:00Z')

/** The event data of each type, with secrets where a careless change would put them. */
const data = {
  'portorder.rejected': { raw: '7435', code: 'pin_mismatch', reason: 'PIN 8812 is wrong' },
  'portorder.accepted': { completion_date: '2026-11-24' },
  'portorder.rescheduled': { completion_date: '2026-11-25', comment: 'PIN 8812' },
  'portorder.completed': {},
  'portorder.expiring': { days_left: 10, due_at: '2026-12-01T02:00:00Z', status: 'Pending' },
  'portorder.expired': {},
  'portout.requested': { gaining_carrier: 'Lakeview Telephone', numbers_count: 1, passcode: '8812' },
  'portout.confirmed': { gaining_carrier: 'Lakeview Telephone', numbers_count: 2, foc_date: '2026-11-24' },
  'portout.rescheduled': { gaining_carrier: 'Lakeview Telephone', numbers_count: 2, foc_date: '2026-11-25' },
  'portout.completed': { gaining_carrier: 'Lakeview Telephone', numbers_count: 1 },
  'cdrexport.completed': { num_calls: '12345', sha256: 'ab' },
  'cdrexport.failed': { failure_reason: 'Ask for a shorter period.' },
  'cnam.approved': { value: 'HARBOR DENTAL' },
  'cnam.rejected': { value: 'EMERGENCY', rejection_reason: 'Not yours.' },
  'cnam.withdrawn': { value: 'HARBOR DENTAL', rejection_reason: 'Not yours.' },
  'numberorder.approved': { ordered_count: 2 },
  'numberorder.rejected': { reason: 'Call us.' },
  'numberorder.expired': {},
  'e911.verdict_worsened': { verdict: 'refused' },
  'notification.failing': {
    origin: 'https://hooks.example',
    attempts: 5,
    failure: 'status_503',
    url: 'https://hooks.example/8812',
  },
  'access_key.created': { name: 'Billing', access_key: 'akSECRET8812' },
  'inventory.low': {
    rate_centers_count: 24,
    rate_centers: [
      'longcode/WA/SEATTLE',
      'toll-free',
      ...Array.from({ length: 20 }, (_, i) => `longcode/OR/CENTER${i}`),
    ],
    low_below: 20,
  },
}
type EventType = keyof typeof data
const contentOf = (type: string, some: NoticeFacts = facts) => {
  const kind = notices.noticeKindOf(type) ?? assert.fail(type)
  const event = { type, subject_id: '42', occurred_at, data: data[type as EventType] }
  return noticeContent(kind, event, some)
}

test('every event of every kind has a title, a text, and a portal page', () => {
  const types = Object.values(notices.noticeKinds).flatMap(({ events }) => [...events])
  assert.deepEqual(types.toSorted(), Object.keys(data).toSorted())
  for (const type of types)
    for (const some of [facts, { ...facts, order: null, address: null }]) {
      const { title, body, path } = contentOf(type, some)
      assert.match(title, /^\p{Lu}[^\n]+$/u, type)
      assert.match(body, /[.:]$/, type)
      assert.match(path, /^\/[a-z0-9/-]+$/, type)
      assert.doesNotMatch(title + body, /undefined|NaN|\[object/, type)
    }
})

test('no notice contains a secret, a PIN, or a message to the carrier', () => {
  for (const type of Object.keys(data)) assert.doesNotMatch(JSON.stringify(contentOf(type)), /8812/, type)
})

const grid: [EventType, RegExp][] = [
  [
    'portorder.rejected',
    /“Front desk” was rejected: PIN or passcode does not match[^]*What to do: Ask the losing carrier/,
  ],
  ['portorder.accepted', /is accepted for Tuesday, November 24/],
  ['portorder.rescheduled', /has a new date: Wednesday, November 25/],
  ['portorder.completed', /is complete[^]*Its 2 numbers are on your account/],
  // the day in the service's time zone
  ['portorder.expiring', /closes in 10 days[^]*closes on Monday, November 30[^]*sign the Letter/],
  ['cdrexport.completed', /export 42 is ready[^]*12,345 calls/],
  ['cdrexport.failed', /failed[^]*Ask for a shorter period/],
  ['cnam.rejected', /EMERGENCY is rejected[^]*Not yours\./],
  ['e911.verdict_worsened', /“Practice” is no longer valid/],
  ['notification.failing', /Callbacks to https:\/\/hooks\.example keep failing[^]*The endpoint responded with 503\./],
  ['access_key.created', /access key “Billing” was created/],
  [
    'inventory.low',
    /^Few numbers are left in 24 rate centers\n[^]*Fewer than 20 numbers are available in each\.[^]*SEATTLE, WA; Toll-free; CENTER0, OR;[^]*CENTER17, OR; and 4 more\.\n/,
  ],
]
for (const [type, words] of grid)
  test(`${type} says what happened and what to do`, () => {
    const { title, body } = contentOf(type)
    assert.match(`${title}\n\n${body}`, words)
  })

test('old or unwanted notices, and those without a relay, are shown but not mailed', () => {
  const now = new Date(occurred_at.getTime() + 1000)
  const late = new Date(occurred_at.getTime() + 4 * 86_400_000)
  const cases: [notices.NoticeDelivery, boolean, Date, string][] = [
    ['at_once', true, now, 'due'],
    ['daily', true, now, 'daily'],
    ['none', true, now, 'none'],
    ['at_once', false, now, 'none'],
    ['at_once', true, late, 'none'],
  ]
  for (const [delivery, enabled, at, state] of cases)
    assert.equal(mailStateOf(delivery, { enabled, occurred_at, now: at, recent: 0 }), state)
})

test('a summary is due at 8 a.m. in the person’s time zone, also across a clock change', () => {
  const cases: [string, string, string][] = [
    ['2026-11-20T12:00:00Z', 'America/New_York', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20T13:00:00Z', 'America/New_York', '2026-11-21T13:00:00.000Z'],
    ['2026-10-31T20:00:00Z', 'America/New_York', '2026-11-01T13:00:00.000Z'],
    ['2026-11-20T12:00:00Z', 'Asia/Kolkata', '2026-11-21T02:30:00.000Z'],
  ]
  for (const [now, zone, due] of cases) assert.equal(nextSummaryAt(new Date(now), zone).toISOString(), due)
})
