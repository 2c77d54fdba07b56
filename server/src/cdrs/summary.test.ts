import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cdrSummary, type CdrFilterInput } from '@demarc/client'
import { testEngine } from '../../test/support/engine.ts'
import { march, units } from '../../test/support/exports.ts'
import { sentence } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { callRecord, seededRandom } from '../engines/call-records/testing/records.ts'
import { moneyText } from './rules.ts'

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const { account, other } = server
const play = seededRandom(2025)

/** Calls over ten weeks around Denver's daylight-saving changes. */
const calls = Array.from({ length: 2000 }, (_, i) =>
  callRecord({
    account_id: account.id,
    id: `call ${i}`,
    start_time: new Date(Date.UTC(2025, 1, 20) + play.below(70 * 86_400_000)),
    destination: `1206555${String(play.below(80)).padStart(4, '0')}`,
    direction: 'inbound',
    billed_duration: play.below(4000),
    cost_subtotal: `${play.below(3)}.${play.digits(8)}`,
    connect_fee: play.pick(['0', '0.015']),
  }),
)
await server.runtime.warehouse.insert([
  ...calls,
  callRecord({ account_id: other.id, id: "another account's", destination: '12065550999' }),
])

type Attributes = Parameters<TestAccount['client']['summarizeCdrs']>[0]['body']['data']['attributes']

async function summaryOf(
  { client }: TestAccount,
  group_by: Attributes['group_by'],
  more: Partial<Attributes> = {},
  filter: Partial<CdrFilterInput> = {},
) {
  const attributes = { group_by, ...more, filter_parameters: { ...march, ...filter } }
  return (await client.summarizeCdrs({ body: { data: { type: 'cdrsummary', attributes } } })).body.data.attributes
}

/** The day, from a formatter that the service does not use. */
const dayFormat = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })

const costOf = (some: typeof calls) =>
  some.reduce(
    (sum, call) =>
      sum +
      [call.cost_subtotal, call.connect_fee, call.usf_fee, call.ccrf].reduce((all, each) => all + units(each), 0n),
    0n,
  )

for (const timezone of ['UTC', 'America/Denver', 'Asia/Kathmandu'])
  test(`by day in ${timezone}: lists every day of the period with its exact calls, seconds, and cost`, async () => {
    const { format } = dayFormat(timezone)
    const times = { start_call_start_time: '2025-03-01T05:00:00Z', start_call_end_time: '2025-04-10T00:00:00Z' }
    const within = calls.filter(
      ({ start_time }) =>
        start_time >= new Date('2025-03-01T05:00:00Z') && start_time < new Date('2025-04-10T00:00:00Z'),
    )
    const summary = await summaryOf(account, 'day', { timezone }, times)
    assert.equal(summary.num_calls, within.length)
    assert.equal(units(summary.total_cost), costOf(within))
    const days = new Set<string>()
    for (let at = Date.parse('2025-03-01T05:00:00Z'); at < Date.parse('2025-04-10T00:00:00Z'); at += 900_000)
      days.add(format(new Date(at)))
    assert.deepEqual(
      summary.groups.map(({ key }) => key),
      [...days],
    )
    for (const { key, ...sums } of summary.groups) {
      const of_day = within.filter(({ start_time }) => format(start_time) === key)
      assert.equal(sums.num_calls, of_day.length, key)
      assert.equal(
        sums.billed_seconds,
        of_day.reduce((sum, { billed_duration }) => sum + billed_duration, 0),
      )
      assert.equal(units(sums.total_cost), costOf(of_day), key)
    }
    assert.equal(summary.others, null)
  })

test('days and months without calls are listed with zeros', async () => {
  const times = { start_call_start_time: '2019-12-31 00:00:00', start_call_end_time: '2020-02-01 00:00:01' }
  const none = { num_calls: 0, billed_seconds: 0, billed_minutes: '0.000000', total_cost: '0.000000' }
  const { groups } = await summaryOf(account, 'month', {}, times)
  assert.deepEqual(groups, [
    { key: '2019-12', ...none },
    { key: '2020-01', ...none },
    { key: '2020-02', ...none },
  ])
  assert.equal((await summaryOf(account, 'day', {}, times)).groups.length, 33)
})

test('by number: the 50 with the most calls, and the sums of the others', async () => {
  const { groups, others, ...all } = await summaryOf(account, 'number')
  assert.equal(groups.length, cdrSummary.summaryGroups_max)
  assert.equal(others?.groups, 30)
  assert.equal(
    groups.reduce((sum, { num_calls }) => sum + num_calls, others.num_calls),
    all.num_calls,
  )
  assert.equal(
    groups.reduce((sum, { total_cost }) => sum + units(total_cost), units(others.total_cost)),
    units(all.total_cost),
  )
  assert.deepEqual(
    groups.map(({ num_calls }) => num_calls),
    groups.map(({ num_calls }) => num_calls).toSorted((a, b) => b - a),
  )
})

test('by fee: the five amounts match an export', async () => {
  const { groups, filter_parameters } = await summaryOf(account, 'fee')
  assert.deepEqual(filter_parameters, march)
  assert.deepEqual(
    groups.map(({ key }) => key),
    ['cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'],
  )
  const in_march = calls.filter(({ start_time }) => start_time.toISOString().startsWith('2025-03'))
  const having = in_march.filter(({ connect_fee }) => connect_fee !== '0')
  assert.equal(groups[1]?.num_calls, having.length)
  assert.equal(groups[1]?.total_cost, moneyText(`${(having.length * 15) / 1000}`))
})

test("a sample has the newest calls with a file's columns", async () => {
  const body = { data: { type: 'cdrsample', attributes: { filter_parameters: march } } }
  const { data } = (await account.client.sampleCdrs({ body })).body
  const newest = calls
    .filter(({ start_time }) => start_time.toISOString().startsWith('2025-03'))
    .toSorted((a, b) => b.start_time.getTime() - a.start_time.getTime())
    .slice(0, cdrSummary.sampleCalls_max)
  assert.deepEqual(
    data.map(({ id }) => id),
    newest.map(({ id }) => id),
  )
  const [first] = data
  assert.equal(first?.attributes.start_time, newest[0]?.start_time.toISOString())
  assert.equal(units(first?.attributes.cost_subtotal ?? ''), units(newest[0]?.cost_subtotal ?? ''))
})

test('an account sees only its own calls', async () => {
  const { num_calls, groups } = await summaryOf(other, 'number')
  assert.deepEqual([num_calls, groups.map(({ key }) => key)], [1, ['14255550111']])
  const body = { data: { type: 'cdrsample', attributes: { filter_parameters: march } } }
  const { data } = (await other.client.sampleCdrs({ body })).body
  assert.deepEqual(
    data.map(({ id }) => id),
    ["another account's"],
  )
})

test('an unknown time zone, an offset, and too many days are rejected', async () => {
  const zone = 'timezone: must be an IANA time zone, such as America/Denver.'
  for (const timezone of ['Atlantis', '+02:00', 'America/Denver; DROP'])
    assert.equal(await sentence(summaryOf(account, 'day', { timezone }), 422), zone)
  const years = { start_call_start_time: '2024-01-01 00:00:00', start_call_end_time: '2026-01-01 00:00:00' }
  assert.equal(
    await sentence(summaryOf(account, 'day', {}, years), 422),
    'group_by: at most 400 groups. Request a shorter period or group by month.',
  )
  assert.equal((await summaryOf(account, 'month', {}, years)).groups.length, 24)
})
