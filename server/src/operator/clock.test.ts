import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBareServer } from '../../test/support/bare-server.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startSecondApp } from '../../test/support/second-app.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'
import { startJobRunner } from '../platform/job-runner.ts'
import { schedule, type JobKind } from '../platform/jobs.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { operatorRoutes } from './routes.ts'

const server = await startTestServer({ worker: true })
const { db, clock } = server
const send = wire(server.base_url, server.operator_credentials)
const move = (body: object) => send('POST /operator/clock', { body: JSON.stringify(body) })
const advance = async (interval: string) =>
  (await server.operator.moveClock({ body: { advance: interval } })).body.data.now

const day_ms = 86_400_000
const inDays = (days: number, from = clock.now()) => new Date(from.getTime() + days * day_ms)

let kinds = 0
/** Runs jobs of the test's own kind, on the service's clock. */
async function running(run: JobKind['run']) {
  const kind = { kind: `test-${++kinds}`, concurrency: 4, attempts_max: 5, backoff_ms: () => day_ms, run }
  const runner = startJobRunner({ db, clock, kinds: [kind], worker: `test-${kinds}`, log: silentLog })
  server.runtime.subscribe({ onJobEnqueued: () => runner.wake() })
  return {
    add: (key: string, at: Date) => schedule(db, kind.kind, key, at),
    async stop() {
      await runner.stop(1000)
      // a due job that no worker runs would block the clock
      await db.deleteFrom('job').where('kind', '=', kind.kind).execute()
    },
  }
}

test('moving the clock runs the jobs that become due along the way, in order, each at its time', async () => {
  const seen: { key: string; at: Date }[] = []
  const began = clock.now()
  const due = (key: string) => inDays(Number(key.split(' ')[1]), began)
  const jobs = await running(async ({ key }) => {
    seen.push({ key, at: clock.now() })
    // a job may enqueue further ones
    if (key === 'day 3') await jobs.add('day 5', due('day 5'))
    if (key === 'day 5') await jobs.add('day 6', due('day 6'))
    await sleep(20)
  })
  for (const key of ['day 7', 'day 1', 'day 12', 'day 3', 'day 9']) await jobs.add(key, due(key))
  const now = new Date(await advance('10 days'))
  assert.deepEqual(
    seen.map(({ key }) => key),
    ['day 1', 'day 3', 'day 5', 'day 6', 'day 7', 'day 9'],
  )
  for (const { key, at } of seen)
    assert.ok(at >= due(key) && at.getTime() < due(key).getTime() + day_ms / 2, `${key} at ${at.toISOString()}`)
  assert.ok(now >= inDays(10, began) && now < inDays(11, began))
  await jobs.stop()
})

test('the response waits for slow and failing jobs too', async () => {
  const seen: string[] = []
  const jobs = await running(async ({ key, attempt }) => {
    await sleep(200)
    if (attempt < 3) throw new Error('not yet')
    seen.push(`${key} at attempt ${attempt}`)
  })
  await jobs.add('slow', inDays(1))
  await advance('2 days')
  assert.deepEqual(seen, [], 'its third attempt is due a day later')
  await advance('2 days')
  assert.deepEqual(seen, ['slow at attempt 3'])
  await jobs.stop()
})

test('intervals are read as PostgreSQL reads them', async () => {
  const grid = [
    ['0 seconds', 0],
    ['1 day', day_ms],
    ['3 hours 30 minutes', 12_600_000],
    ['1 day 02:03:04', day_ms + 7_384_000],
    ['P1DT1H', day_ms + 3_600_000],
    ['-1 day 26 hours', 2 * 3_600_000],
    ['1.5 hours', 5_400_000],
  ] as const
  for (const [words, ms] of grid) {
    const before = clock.now().getTime()
    const moved = new Date(await advance(words)).getTime() - before
    assert.ok(moved >= ms && moved < ms + 30_000, `${words} moved the clock by ${moved} ms`)
  }
})

test('moving the clock backward is a 422 on its field, and the clock stays', async () => {
  const words = 'Must be a PostgreSQL interval such as "45 days" or "3 hours 30 minutes".'
  const negative = 'Must not be negative: the clock only moves forward.'
  const far = 'Must be at most 10 years.'
  const grid: [object, Record<string, string[]>][] = [
    ...['tomorrow', ' ', '1 fortnight and a bit', "1 day'; drop table account; --", '1e400 years', '\0', 'NaN'].map(
      (advance): [object, Record<string, string[]>] => [{ advance }, { advance: [words] }],
    ),
    [{ advance: 'infinity' }, { advance: [words] }],
    [{ advance: '-infinity' }, { advance: [words] }],
    [{ advance: '1000000 years' }, { advance: [words] }],
    [{ advance: '-1 day' }, { advance: [negative] }],
    [{ advance: '1 day ago' }, { advance: [negative] }],
    [{ advance: '11 years' }, { advance: [far] }],
    [{ advance: '' }, { advance: ['Must not be empty.'] }],
    [{ advance: 45 }, { advance: ['Must be text.'] }],
    [{ advance: '1 day'.repeat(50) }, { advance: ['At most 100 characters.'] }],
    [{ set: '2999-01-01T00:00:00Z' }, { set: [far] }],
    [{ set: '2027-01-01T00:00:00' }, { set: ['Must be an ISO 8601 time with an offset.'] }],
    [{ set: 'noon' }, { set: ['Must be an ISO 8601 time with an offset.'] }],
    [{}, { advance: ['Send either advance or set.'] }],
    [{ advance: '1 day', set: '2027-01-01T00:00:00Z' }, { advance: ['Send either advance or set.'] }],
    [{ advance: '1 day', rewind: true }, { rewind: ['Is not a known field.'] }],
  ]
  const before = clock.now()
  for (const [body, detail] of grid)
    assert.deepEqual(refused(await move(body), 422).detail, detail, JSON.stringify(body))
  assert.match(JSON.stringify(refused(await move({ set: '2020-01-01T00:00:00Z' }), 422).detail), /only moves forward/)
  assert.ok(clock.now().getTime() - before.getTime() < 60_000)
})

test('the clock can be set to a time, and never goes back', async () => {
  const target = inDays(3)
  const { body } = await server.operator.moveClock({ body: { set: target.toISOString() } })
  assert.ok(new Date(body.data.now) >= target)
  await clock.advanceTo(inDays(-2))
  assert.ok(clock.now() >= target)
})

test('two concurrent moves both reach their target', async () => {
  const [near, far] = [inDays(2), inDays(4)]
  const times = await Promise.all([advance('4 days'), advance('2 days')])
  assert.ok(new Date(times[0]) >= far && new Date(times[1]) >= near)
  assert.ok(clock.now() < inDays(1, far))
})

test('all processes share the clock, including those that start later', async () => {
  const before = await startSecondApp(server)
  await advance('5 days')
  const after = await startSecondApp(server)
  const read = async (base_url: string) => {
    const { json } = await wire(base_url, server.operator_credentials)('GET /operator/clock')
    return new Date((json as { data: { now: string } }).data.now).getTime()
  }
  const isMoved = async (base_url: string) => Math.abs((await read(base_url)) - clock.now().getTime()) < day_ms
  for (const { base_url } of [server, after]) assert.ok(await isMoved(base_url))
  // notified by the database, in a moment
  await eventually(() => isMoved(before.base_url))
})

test('in production the clock cannot be moved', async () => {
  const runtime = { ...server.runtime, movable: null, config: { mode: 'production' } }
  const url = await startBareServer(server.runtime, operatorRoutes(runtime)(server.runtime.deps))
  const headers = { authorization: 'operator' }
  refused(await wire(url)('GET /operator/clock', { headers }), 404)
  refused(await wire(url)('POST /operator/clock', { headers, body: '{"advance":"1 day"}' }), 404)
})
