import assert from 'node:assert/strict'
import { rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { retryUntilAvailable, testEngine } from '../../../../test/support/engine.ts'
import { fillDisk, no_mount, smallDisk } from '../../../../test/support/small-disk.ts'
import { atEnd } from '../../../../test/support/starters.ts'
import { connect } from '../clickhouse.ts'
import { WarehouseFull } from '../errors.ts'
import { brokenPart } from './disk.ts'
import { startEngine } from './supervisor.ts'

const inserts = 12
const rows = 2_000
/** Each fills the disk at another moment of a merge. */
const rounds = 6

/** An engine on a disk of its own, its client, and a file that fills the disk; null if this user may not mount one. */
async function onSmallDisk(t: TestContext) {
  const folder = await smallDisk(t, 300)
  if (folder === null) return null
  const engine = await startEngine({ folder: path.join(folder, 'engine') })
  atEnd(t, engine.stop)
  const clickhouse = connect({ at: { socket: engine.socket }, database: 'default' })
  atEnd(t, clickhouse.close)
  return { clickhouse, filling: path.join(folder, 'filling') }
}

test('merges that meet a full disk lose no records', async (t) => {
  const made = await onSmallDisk(t)
  if (made === null) return t.skip(no_mount)
  const { clickhouse, filling } = made
  const count = () => clickhouse.rows<[string]>('SELECT toString(count()), toString(sum(length(id))) FROM record')
  for (let round = 0; round < rounds; round += 1) {
    await clickhouse.run('CREATE TABLE record (id String) ENGINE = ReplacingMergeTree ORDER BY id')
    await clickhouse.run('SYSTEM STOP MERGES record')
    for (let n = 0; n < inserts; n += 1)
      await clickhouse.run(`INSERT INTO record SELECT randomPrintableASCII(20) FROM numbers(${rows})`)
    const stored = await count()
    fillDisk(filling, 3 * 1024 ** 2)
    await clickhouse.run('SYSTEM START MERGES record')
    const merging = clickhouse.run('OPTIMIZE TABLE record FINAL').catch((error: unknown) => String(error))
    await sleep(round * 3)
    fillDisk(filling)
    await merging
    assert.deepEqual(await retryUntilAvailable(count), stored, `round ${round}`)
    rmSync(filling)
    assert.deepEqual(await retryUntilAvailable(count), stored, `round ${round}, with space`)
    await retryUntilAvailable(() => clickhouse.run('DROP TABLE record SYNC'))
  }
})

test('an incomplete part is left out, and the parts that it was merged from are used', async (t) => {
  const restarts: string[] = []
  const engine = await testEngine({ on: (event) => event.type === 'lost' && restarts.push(event.reason) })
  const clickhouse = connect({ at: { socket: engine.socket }, database: 'default' })
  atEnd(t, clickhouse.close)
  await clickhouse.run('CREATE TABLE record (id String) ENGINE = MergeTree ORDER BY id')
  for (let n = 0; n < 2; n += 1) await clickhouse.run('INSERT INTO record SELECT toString(number) FROM numbers(1000)')
  await clickhouse.run('OPTIMIZE TABLE record FINAL')
  const merged = await clickhouse.rows<[string]>("SELECT path FROM system.parts WHERE table = 'record' AND active")
  assert.equal(merged.length, 1)
  truncateSync(path.join(merged[0]?.[0] ?? '', 'data.cmrk4'))
  const read = () => clickhouse.rows('SELECT toString(count()), toString(sum(length(id))) FROM record')
  assert.deepEqual(await retryUntilAvailable(read), [['2000', '5780']])
  assert.equal(restarts.length, 1)
})

describe('an incomplete part', () => {
  for (const [error, part] of [
    [
      "Code: 246. DB::Exception: Empty marks file '/data/cdrs/store/store/8b6/8b66/202603_14_32_4/data.cmrk4': 0, must be: 2416: (while reading from part …)",
      '/data/cdrs/store/store/8b6/8b66/202603_14_32_4',
    ],
    [
      'Code: 33. DB::Exception: Cannot read all data. Bytes read: 29573. Bytes expected: 79501: While reading or decompressing /data/store/ba2/ba23/all_1_108_27/data.bin (position: 0)',
      '/data/store/ba2/ba23/all_1_108_27',
    ],
    [
      "Code: 33. DB::Exception: Cannot read all data: (at row 7)\n (while reading from file '/data/scratch/7.in')",
      null,
    ],
    ['Code: 60. DB::Exception: Table does not exist: /data/store/ba2/ba23/all_1_108_27/. (UNKNOWN_TABLE)', null],
  ] as const)
    test(`is ${part === null ? 'not ' : ''}named by: ${error.slice(0, 70)}`, () =>
      assert.equal(brokenPart(error), part))
})

test('an insert into a full disk is refused', async (t) => {
  const made = await onSmallDisk(t)
  if (made === null) return t.skip(no_mount)
  const { clickhouse, filling } = made
  await clickhouse.run('CREATE TABLE record (id String) ENGINE = MergeTree ORDER BY id')
  const insert = () => clickhouse.insert('record', { id: 'String' }, [Buffer.from([1, 65])])
  await insert()
  fillDisk(filling)
  await assert.rejects(insert(), WarehouseFull)
  rmSync(filling)
  await insert()
  assert.deepEqual(await clickhouse.rows('SELECT toString(count()) FROM record'), [['2']])
})
