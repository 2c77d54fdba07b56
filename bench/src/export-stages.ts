import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DemarcClient } from '@demarc/client'
import type { ClickHouse } from '../../server/src/engines/call-records/clickhouse.ts'
import type { CdrCompression } from '../../server/src/engines/call-records/types.ts'
import { appendCalls, year } from './call-records.ts'
import { exportInside } from './export-inside.ts'
import { median, table } from './report.ts'
import { cpuOf, newAccount, startService, type Service } from './service.ts'

const rounds = 5

/** Milliseconds by stage, in the order in which they were first entered. */
type Stages = Map<string, number>

/**
 * Where the time of an export goes: first from the request to `completed`, as the database shows it, then inside the worker, whose part is
 * repeated here against the same engine. Stages of the store overlap, so that their sums are more than the whole.
 */
export async function benchExportStages(rows: number): Promise<void> {
  const service = await startService()
  try {
    const { account_id, client } = await newAccount(service)
    await appendCalls(service, account_id, rows)
    const outside: Stages[] = []
    const inside = new Map<CdrCompression, Stages[]>([
      ['gzip', []],
      ['none', []],
    ])
    for (let round = 0; round < rounds; round++) {
      outside.push(await stagesOutside(service, client))
      for (const [compression, found] of inside) found.push(await stagesInside(service, account_id, compression))
    }
    printStages(
      `Stages of an export of ${rows.toLocaleString('en')} call records, csv.gz, medians of ${rounds}`,
      outside,
    )
    for (const [compression, found] of inside)
      printStages(`The same inside the worker, CSV, compression ${compression}; queries overlap`, found)
  } finally {
    await service.stop()
  }
}

function printStages(title: string, found: readonly Stages[]): void {
  const names = [...new Set(found.flatMap((stages) => [...stages.keys()]))]
  table(
    title,
    ['stage', 'ms'],
    names.map((name) => [name, median(found.map((stages) => stages.get(name) ?? 0)).toFixed(0)]),
  )
}

/** From the request to `completed`. */
async function stagesOutside(service: Service, client: DemarcClient): Promise<Stages> {
  const database = new pg.Client({ connectionString: service.databaseUrl() })
  await database.connect()
  const stages: Stages = new Map()
  const processes = service.processes()
  const cpu = () => Object.entries(processes).map(([name, pids]) => [name, cpuOf(pids)] as const)
  const before = new Map(cpu())
  const began = performance.now()
  let last = began
  const reached = (stage: string) => {
    const now = performance.now()
    stages.set(stage, now - last)
    last = now
  }
  const attributes = { filter_parameters: year }
  const { id } = (await client.createCdrExport({ body: { data: { type: 'cdrexport', attributes } } })).body.data
  reached('request')
  const until = async (condition: string) => {
    const found = `select exists (select from cdr_export e left join job j on j.key = e.id::text and j.kind = 'build-cdr-export' where e.id::text = $1 and ${condition}) as found`
    while (!(await database.query<{ found: boolean }>(found, [id])).rows[0]?.found) await sleep(5)
  }
  await until(`(j.locked_by is not null or e.status <> 'processing')`)
  reached('until a worker has claimed the job')
  await until(`e.status <> 'processing'`)
  reached('job, to its commit')
  stages.set('whole', last - began)
  for (const [name, us] of cpu()) stages.set(`CPU of ${name}`, (us - (before.get(name) ?? 0)) / 1000)
  await database.end()
  return stages
}

/** What the job does until its file is staged. */
async function stagesInside(service: Service, account_id: string, compression: CdrCompression): Promise<Stages> {
  const stages: Stages = new Map()
  const { seconds, totals_s, bytes } = await exportInside(service, account_id, compression, (store) =>
    timed(store, stages),
  )
  stages.set('until the totals are known', totals_s * 1000)
  stages.set('whole, to a synced file', seconds * 1000)
  const hashed = performance.now()
  createHash('sha256').update(Buffer.alloc(bytes)).digest()
  stages.set('of it SHA-256', performance.now() - hashed)
  return stages
}

/** Adds up the time between each query and its result, and between the first and the last byte of files. */
function timed(clickhouse: ClickHouse, stages: Stages): ClickHouse {
  const add = (stage: string, since: number) => stages.set(stage, (stages.get(stage) ?? 0) + performance.now() - since)
  return {
    ...clickhouse,
    rows: async (sql, signal) => {
      const began = performance.now()
      try {
        return await clickhouse.rows(sql, signal)
      } finally {
        add(`queries: ${purposeOf(sql)}`, began)
      }
    },
    bytes: async (sql, options) => {
      const began = performance.now()
      const opened = await clickhouse.bytes(sql, options)
      add('slices: read, sorted, written, compressed', began)
      const read = performance.now()
      opened.stream.once('end', () => add('slices: copied and decompressed for their lines', read))
      return opened
    },
  }
}

function purposeOf(sql: string): string {
  if (sql.includes('HAVING count() > 1')) return 'repeated deliveries'
  if (sql.includes('AS bucket')) return 'slices'
  if (sql.includes('sum(ccrf)')) return 'totals'
  return sql.includes('groupUniqArray') ? 'whether parts have changed' : 'range and horizon'
}
