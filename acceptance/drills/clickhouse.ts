import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseCluster, clusterPrograms, StatementFailed, type Server } from '../servers/clickhouse-cluster.ts'
import { newFolder } from '../support/service.ts'
import { hang_ms, until } from '../support/until.ts'
import type { Drill, DrillOptions, DrillResult } from './drill.ts'

// a replica is killed at one delivery in twenty
const deliveries = { short: 40, long: 1000 }
const batch_rows = 20
/** Odd accounts are on the second shard. */
const first_account = 999_999

export const clickhouse: Drill = {
  name: 'clickhouse',
  summary:
    'kills replicas of a ClickHouse cluster (18.16, two shards of two) during inserts and exports, and adds a server',
  programs: { ...clusterPrograms, '/usr/share/zookeeper/bin/zkServer.sh': 'zookeeper' },
  async run(options) {
    const folder = await newFolder()
    const cluster = await ClickHouseCluster.open(folder)
    let passed = false
    try {
      const results = await new Trial(cluster, options).run()
      passed = results.every(({ ok }) => ok)
      return results
    } finally {
      await cluster.stop()
      if (passed) await rm(folder, { recursive: true })
      else options.log(`what the servers left is in ${folder}`)
    }
  },
}

/** The statements for a cluster in schema.sql, which is generated from the product's code. */
function statements(): string[] {
  const file = new URL('../../server/src/engines/call-records/schema.sql', import.meta.url)
  const [, section = ''] = /^-- cluster\n([^]*?)^-- /m.exec(readFileSync(file, 'utf8')) ?? []
  return section.split(';').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
}

/** Errors after which the product repeats a delivery. */
const expected_codes: Readonly<Record<string, string>> = {
  210: 'NETWORK_ERROR',
  225: 'NO_ZOOKEEPER',
  242: 'TABLE_IS_READ_ONLY',
  279: 'ALL_CONNECTION_TRIES_FAILED',
  285: 'TOO_FEW_LIVE_REPLICAS',
  286: 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE',
  319: 'UNKNOWN_STATUS_OF_INSERT',
}

/** The statements of the product with the types and functions that this old version knows. */
function reduced(sql: string): string {
  return (
    sql
      .replaceAll(/ CODEC\((?:[^()]|\([^()]*\))*\)/g, '')
      .replaceAll('LowCardinality(String)', 'String')
      .replaceAll("DateTime64(3, 'UTC')", 'DateTime')
      .replaceAll(/\bBool\b/g, 'UInt8')
      .replaceAll(/^ {2}(?:customer_ip_key|total_cost) .*\n/gm, '')
      // its Distributed tables try to insert materialized columns
      .replace('MATERIALIZED bitNot(arrival)', 'DEFAULT bitNot(arrival)')
      .replace(/dictGet\([^)]*\)/, 'account_id')
      .replaceAll(/DEFAULT toUInt64\(toUnixTimestamp64Micro\(now64\(6\)\)\)/g, 'DEFAULT 0')
      .replace(/\nSETTINGS [^;]*$/, '')
  )
}

/** Settings of modes.ts by the names that this version has. */
const reads = { select_sequential_consistency: '1', load_balancing: 'in_order', max_parallel_replicas: '1' }
const writes = { insert_quorum: '2', insert_quorum_timeout: '3000', insert_distributed_sync: '1' }

type Delivery = { nth: number; ids: string[]; acknowledged: boolean }

class Trial {
  readonly #cluster: ClickHouseCluster
  readonly #options: DrillOptions
  readonly #codes = new Map<string, number>()
  readonly #unexpected: string[] = []
  /** Microseconds, as a lock's time. */
  #arrival = 1_000_000
  #version = ''

  constructor(cluster: ClickHouseCluster, options: DrillOptions) {
    this.#cluster = cluster
    this.#options = options
  }

  async run(): Promise<DrillResult[]> {
    const [first = assert.fail(), second = assert.fail(), third = assert.fail(), last = assert.fail()] =
      this.#cluster.servers
    for (const server of [first, second, third, last]) await this.#cluster.start(server)
    this.#version = await this.#cluster.query(first, 'SELECT version()')
    await this.#createTables(first)
    const added = await this.#addServer(last)
    const killed = await this.#insertWhileKilling(last)
    const exported = await this.#exportWhileKilling(third, last)
    return [added, killed, exported]
  }

  async #createTables(server: Server): Promise<void> {
    // that version has no dictionaries in SQL, so the drill places accounts by their number
    for (const sql of statements())
      if (!/account_shard|CREATE DICTIONARY/.test(sql)) await this.#cluster.query(server, reduced(sql))
  }

  /** Loses a server's tables, as one that is added has none. */
  async #addServer(last: Server): Promise<DrillResult> {
    const [first = assert.fail()] = this.#cluster.servers
    const delivery: Delivery = { nth: first_account, ids: ['first'], acknowledged: false }
    await this.#deliver(delivery)
    assert.ok(delivery.acknowledged, 'the first delivery failed')
    const drops = ['cdr', 'cdr_id', 'cdr_local', 'cdr_id_local'].map((name) => `DROP TABLE demarc.${name}`)
    for (const sql of drops) await this.#cluster.query(last, sql)
    await this.#createTables(first)
    const tables = await this.#cluster.query(
      last,
      "SELECT name FROM system.tables WHERE database = 'demarc' ORDER BY name",
    )
    const peer = this.#cluster.server('2a')
    const count = (server: Server) => this.#cluster.query(server, 'SELECT count() FROM demarc.cdr_local')
    await until('the new replica to have the records', hang_ms, async () => (await count(last)) === (await count(peer)))
    const ok = tables === 'cdr\ncdr_id\ncdr_id_local\ncdr_local' && (await count(last)) === '1'
    return this.#result(
      'the statements run again after a server without tables joined',
      ok,
      'The server got the tables and the records of its shard.',
      [],
    )
  }

  /** Delivers until all are acknowledged, while a replica is killed and started. */
  async #insertWhileKilling(victim: Server): Promise<DrillResult> {
    const count = deliveries[this.#options.short ? 'short' : 'long']
    const all = Array.from({ length: count }, (_, nth): Delivery => {
      const ids = Array.from({ length: batch_rows }, (_, row) => `d${nth}r${row}`)
      return { nth: nth + 1, ids, acknowledged: false }
    })
    let kills = 0
    for (const delivery of all) {
      const disrupts = delivery.nth % 20 === 10
      const trying = this.#deliver(delivery)
      if (disrupts) {
        await this.#cluster.kill(victim)
        kills += 1
      }
      await trying
      if (!disrupts) continue
      // the first lacks a quorum, and the second finds that out
      for (const nth of [1_000_000 + delivery.nth * 2, 1_000_001 + delivery.nth * 2]) {
        const more: Delivery = { nth, ids: [`d${nth}`], acknowledged: false }
        all.push(more)
        await this.#deliver(more)
      }
      await this.#cluster.start(victim)
    }
    for (const delivery of all)
      await until(`delivery ${delivery.nth}`, hang_ms, async () => {
        if (!delivery.acknowledged) await this.#deliver(delivery)
        if (!delivery.acknowledged) await sleep(200)
        return delivery.acknowledged
      })
    const stored = await this.#stored()
    const expected = all.flatMap(({ ids }) => ids).toSorted()
    const ok =
      JSON.stringify(stored) === JSON.stringify(['first', ...expected].toSorted()) && this.#unexpected.length === 0
    const codes = [...this.#codes].map(([code, times]) => `${code} ${expected_codes[code] ?? 'no response'}: ${times}`)
    return this.#result(
      `a replica killed (SIGKILL) ${kills} times during inserts with a quorum`,
      ok,
      `Of ${expected.length} records, none was lost or doubled.`,
      [
        { name: 'Errors', value: codes.join(', ') },
        ...(this.#unexpected.length > 0
          ? [{ name: 'Unexpected', value: this.#unexpected.slice(0, 5).join('; ') }]
          : []),
      ],
    )
  }

  /** Reads all records again and again from one server, while a replica that it reads from is killed. */
  async #exportWhileKilling(victim: Server, peer: Server): Promise<DrillResult> {
    const [pinned = assert.fail()] = this.#cluster.servers
    const expected = await this.#stored()
    let complete = 0
    let failed = 0
    let wrong = 0
    const read = async () => {
      try {
        const ids = await this.#stored(pinned)
        if (JSON.stringify(ids) === JSON.stringify(expected)) complete += 1
        else wrong += 1
      } catch (error) {
        if (!(error instanceof StatementFailed)) throw error
        failed += 1
      }
    }
    for (const gone of [victim, peer]) {
      for (let n = 0; n < 5; n++) await read()
      const reading = Promise.all([read(), read()])
      await this.#cluster.kill(gone)
      await reading
      for (let n = 0; n < 5; n++) await read()
      await this.#cluster.start(gone)
    }
    await until('a complete export', hang_ms, async () => {
      const before = complete
      await read()
      return complete > before
    })
    return this.#result(
      'each replica of a shard killed (SIGKILL) during exports through another server',
      wrong === 0,
      'Every export was complete or an error.',
      [
        { name: 'Complete', value: String(complete) },
        { name: 'Failed', value: String(failed) },
      ],
    )
  }

  /** As insert.ts delivers: finds what is stored, claims, inserts. Not acknowledged after an error that may pass. */
  async #deliver(delivery: Delivery): Promise<void> {
    const [server = assert.fail()] = this.#cluster.servers
    const query = (sql: string, settings: Readonly<Record<string, string>>) =>
      this.#cluster.query(server, sql, settings)
    const account = delivery.nth
    try {
      const found = await query(`SELECT id FROM demarc.cdr WHERE account_id = ${account} ORDER BY id`, reads)
      const stored = new Set(found.split('\n'))
      const absent = delivery.ids.filter((id) => !stored.has(id))
      if (absent.length > 0) {
        const arrival = (this.#arrival += 1)
        const rows = (of: (id: string) => string) => absent.map(of).join(', ')
        const claims = rows((id) => `(cityHash64('${id}'), toDateTime('2025-03-01 00:00:00'), ${account}, ${arrival})`)
        await query(`INSERT INTO demarc.cdr_id (id_hash, start_time, account_id, claimed) VALUES ${claims}`, writes)
        const records = rows((id) => `(${account}, toDateTime('2025-03-01 00:00:00'), '${id}', 1, ${arrival})`)
        await query(`INSERT INTO demarc.cdr (account_id, start_time, id, duration, arrival) VALUES ${records}`, writes)
      }
      delivery.acknowledged = true
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error
      this.#codes.set(error.code, (this.#codes.get(error.code) ?? 0) + 1)
      if (error.code !== '' && expected_codes[error.code] === undefined) this.#unexpected.push(error.message)
    }
  }

  /** The ids of all records, each as often as readers see it. */
  async #stored(server = this.#cluster.server('1a')): Promise<string[]> {
    const sql = 'SELECT id FROM demarc.cdr GROUP BY account_id, start_time, id'
    return (await this.#cluster.query(server, sql, reads)).split('\n').toSorted()
  }

  #result(tried: string, ok: boolean, result: string, figures: DrillResult['figures']): DrillResult {
    this.#options.log(`${tried}: ${ok ? 'ok' : 'FAILED'} ${JSON.stringify(figures)}`)
    return {
      component: 'ClickHouse cluster',
      version: `${this.#version} with ZooKeeper; statements reduced to what it knows`,
      tried,
      result: ok ? result : 'Records were lost, doubled, or an error was not known.',
      ok,
      figures,
    }
  }
}
