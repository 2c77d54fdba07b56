import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { callOf } from '../src/commands/cdr/reconcile/call.ts'
import { compare, type Difference } from '../src/commands/cdr/reconcile/compare.ts'
import { sorted } from '../src/commands/cdr/reconcile/sort.ts'
import { runLine } from './support/run.ts'
import { environment } from '../../acceptance/support/environment.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-reconcile-test-'))
after(() => rm(folder, { recursive: true }))

async function* lines(all: readonly string[]): AsyncGenerator<string> {
  for (const line of all) yield await Promise.resolve(line)
}

test('lines are sorted even if few fit into memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[a-c]{0,3}$/), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      async (all, run_lines) => {
        const batches = await sorted(lines(all), { folder, name: 'property', run_lines, runs_max: 3 })
        assert.deepEqual((await Array.fromAsync(batches)).flat(), all.toSorted())
      },
    ),
    { numRuns: 100 },
  )
})

/** `key at duration cost`, followed by the call's number. */
const side = async (calls: readonly string[]) => {
  const text = calls.map((call, i) => {
    const [key, at = '', duration, cost = ''] = call.split(' ')
    return `${key}\t${at.padStart(15, '0')}\t${duration}\t${cost}\t${i + 1}`
  })
  return await sorted(lines(text), { folder, name: 'side' })
}

async function differences(mine: readonly string[], theirs: readonly string[], tolerances = {}) {
  const found: Difference[] = []
  const summary = await compare(
    { mine: await side(mine), theirs: await side(theirs) },
    { time_ms: 1000, duration_s: 0, cost: 0n, ...tolerances },
    async (difference) => void found.push(await Promise.resolve(difference)),
  )
  return { summary, found: found.map(({ kind, mine: own, theirs: other }) => [kind, own?.nth, other?.nth]) }
}

test('exactly the missing, extra, and differing calls are found', async () => {
  const { found, summary } = await differences(
    ['1|2 1000 30 5', '1|2 60000 30 5', '1|3 1000 10 1', '9|9 5000 7 0', '5|5 0 1 1'],
    ['1|2 1900 30 5', '1|2 63000 30 5', '1|3 1000 12 1', '9|9 5000 7 3', '4|4 0 1 1', '5|5 0 1 1'],
  )
  assert.deepEqual(found, [
    ['missing', 2, undefined],
    ['extra', undefined, 2],
    ['duration', 3, 3],
    ['extra', undefined, 5],
    ['cost', 4, 4],
  ])
  assert.partialDeepStrictEqual(summary, { mine_calls: 5, export_calls: 6, matched: 4, missing: 1, extra: 2 })
  assert.deepEqual([summary.mine_cost, summary.export_cost], [12n, 16n])
})

test('tolerances apply to time, duration, and cost', async () => {
  const mine = ['1|2 1000 30 500']
  const theirs = ['1|2 3000 32 503']
  assert.equal((await differences(mine, theirs)).summary.matched, 0)
  assert.deepEqual((await differences(mine, theirs, { time_ms: 2000 })).found, [
    ['duration', 1, 1],
    ['cost', 1, 1],
  ])
  assert.deepEqual((await differences(mine, theirs, { time_ms: 2000, duration_s: 2, cost: 3n })).found, [])
})

test('every injected difference is found, and counted once', async () => {
  const call = fc.record({
    key: fc.constantFrom('1|2', '1|3', '7|7'),
    change: fc.constantFrom('', 'missing', 'extra', 'duration', 'cost'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      // ten seconds apart, so only one can match
      const text = (i: number, key: string, duration: number, cost: number) =>
        `${key} ${i * 10_000} ${duration} ${cost}`
      const mine = calls.flatMap(({ key, change }, i) => (change === 'extra' ? [] : [text(i, key, i, i)]))
      const theirs = calls.flatMap(({ key, change }, i) =>
        change === 'missing'
          ? []
          : [text(i, key, i + (change === 'duration' ? 1 : 0), i + (change === 'cost' ? 1 : 0))],
      )
      const { found } = await differences(mine, theirs.toReversed())
      assert.deepEqual(
        found.map(([kind]) => kind).toSorted(),
        calls.flatMap(({ change }) => (change === '' ? [] : [change])).toSorted(),
      )
    }),
    { numRuns: 100 },
  )
})

test('a call survives conversion to text', () => {
  const call = callOf('1|2\t000000000001000\t30\t-5\t7')
  assert.deepEqual(call, { key: '1|2', start_ms: 1000, duration: 30, cost: -5n, nth: 7 })
})

const header = 'start_time,callerid,destination,duration,total_cost'

test('columns, time zone, and number formats follow the file', async () => {
  const [mine, theirs, report] = ['mine.csv', 'theirs.csv', 'report.csv'].map((name) => path.join(folder, name))
  await writeFile(
    mine ?? '',
    'calldate;src,src,dst,billsec\n2026-07-01 08:00:00,(206) 555-0100,+14255550199,30\n2026-07-01 09:00:00,2065550100,14255550199,5\n',
  )
  await writeFile(theirs ?? '', `${header}\n2026-07-01T13:00:00.400Z,12065550100,14255550199,30,0.1\n`)
  const line = `cdr reconcile ${mine} ${theirs} --columns "start_time=calldate;src,callerid=src,destination=dst,duration=billsec" --zone America/Chicago -o ${report}`
  const { status, stdout, stderr } = await runLine(line)
  assert.equal(status, 1, stderr)
  assert.match(stdout, /^matched\t1$/m)
  assert.match(stderr, /Costs are not compared: .*mine\.csv has no column total_cost\./)
  assert.match(stderr, /error\[differs\] The records differ: 1 missing\./)
  assert.match(
    await readFile(report ?? '', 'utf8'),
    /^missing,12065550100,14255550199,2026-07-01T14:00:00\.000Z,,5,,,,2,$/m,
  )
})

test('a file that cannot be compared is refused, and the message lists its columns', async () => {
  const file = path.join(folder, 'other.csv')
  const good = path.join(folder, 'good.csv')
  await writeFile(good, `${header}\n`)
  for (const [text, message] of [
    ['', /is empty/],
    ['when,src\n', /has no column start_time, callerid, destination, duration\./],
    [
      `${header.replace('total_cost', 'Cost')}\n2026-07-01 08:00:00,1,2,3,4\n`,
      /has no column total_cost\.[\s\S]*--columns cost=Cost/,
    ],
    [`${header}\nyesterday,1,2,3,4\n`, /call 1: start_time is "yesterday"/],
    [`${header}\n2026-07-01 08:00:00,1,2,3,4\n2026-07-01 08:00:00,1,2,x,4\n`, /call 2: duration is "x"/],
    [`${header}\n2026-07-01 08:00:00,1,2,3,1e5\n`, /call 1: total_cost is "1e5"/],
  ] as const) {
    await writeFile(file, text)
    const { status, stderr } = await runLine(`cdr reconcile ${file} ${good}`)
    assert.equal(status, 6)
    assert.match(stderr, message)
  }
  assert.equal((await runLine(`cdr reconcile ${good} ${good} --zone Mars/Olympus`)).status, 6)
  assert.equal((await runLine(`cdr reconcile ${path.join(folder, 'none.csv')} ${good}`)).status, 1)
  assert.equal((await runLine(`cdr reconcile ${good} ${good}`)).status, 0)
  // what was sorted there is removed, also after a refusal
  const temporary = path.join(folder, 'temporary')
  await mkdir(temporary)
  assert.equal((await runLine(`cdr reconcile ${file} ${good} --temporary ${temporary}`)).status, 6)
  assert.deepEqual(await readdir(temporary), [])
})

/** `DEMARC_RECONCILE_CALLS=10000000` compares as many as a carrier has in a month. */
const count = Number(process.env['DEMARC_RECONCILE_CALLS'] ?? 150_000)
/** Less than the calls of one side take, which are some 300 bytes each until they are sorted. */
const heap_mb = 56

/** Calls of many numbers in no order of their numbers; each thousandth of the second side differs. */
async function writeCalls(file: string, differing: boolean): Promise<void> {
  const out = createWriteStream(file)
  out.write(`${header}\n`)
  for (let i = 0; i < count; i++) {
    const scattered = (i * 7_919) % count
    const time = new Date(Date.UTC(2026, 0, 1) + scattered * 250).toISOString()
    const duration = 1 + (scattered % 600) + (differing && scattered % 1000 === 0 ? 5 : 0)
    const line = `${time},1206555${String(scattered % 5000).padStart(4, '0')},1425555${String(scattered % 3001).padStart(4, '0')},${duration},0.0${1 + (scattered % 89)}\n`
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

test(`${count} calls are compared in a heap too small for them`, { timeout: 1_800_000 }, async (t) => {
  const [mine, theirs] = [path.join(folder, 'mine-large.csv'), path.join(folder, 'theirs-large.csv')]
  await writeCalls(mine, false)
  await writeCalls(theirs, true)
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heap_mb}`, '--max-semi-space-size=8', main, 'cdr', 'reconcile', mine, theirs, '--json'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    },
  )
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  await once(child, 'close')
  assert.equal(child.exitCode, 1, stderr)
  assert.partialDeepStrictEqual(JSON.parse(stdout), {
    mine_calls: count,
    matched: count,
    missing: 0,
    extra: 0,
    different_duration: Math.ceil(count / 1000),
  })
  t.diagnostic(
    `${count} calls on each side, a heap of ${heap_mb} MB, ${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
})
