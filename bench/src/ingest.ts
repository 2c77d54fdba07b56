import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotReadyError } from '@demarc/client'
import { callLines, year } from './call-records.ts'
import { printLoopDelay } from './loop-delay.ts'
import { median, table } from './report.ts'
import { cpuOf, newAccount, startService, watchMemory, type Service } from './service.ts'

const rounds = 5

/** Calls arrive on the day; an import of the past has all months at once, each of which is a part of its own in the store. */
const sides = [
  { clients: 1, days: 1 },
  { clients: 4, days: 1 },
  { clients: 1, days: 365 },
  { clients: 4, days: 365 },
] as const

/** Bulk ingest over HTTP by one client and by several, in turns, from files that are written before: the generator would take a core. */
export async function benchIngest(rows: number): Promise<void> {
  const service = await startService()
  try {
    const { account_id } = await newAccount(service)
    const measured = new Map(sides.map((side) => [side, [] as Ingested[]]))
    const stopWatching = watchMemory(service.processes)
    let from = 0
    for (let round = 0; round < rounds; round++)
      for (const [{ clients, days }, found] of measured) {
        found.push(await ingestBy(service, clients, { account_id, from, rows, days }))
        from += rows
      }
    table(
      `Ingest of ${rows.toLocaleString('en')} call records over HTTP, NDJSON, on disk when acknowledged, medians of ${rounds}`,
      ['clients', 'days of calls', 'records/s', 'API CPU µs/record', 'engine CPU µs/record', 'client CPU µs/record'],
      [...measured].map(([{ clients, days }, found]) => [
        String(clients),
        String(days),
        median(found.map(({ per_second }) => per_second)).toFixed(0),
        ...(['api', 'engine', 'client'] as const).map((name) => median(found.map((each) => each[name])).toFixed(1)),
      ]),
    )
    const peak = stopWatching()
    table('Peak resident memory meanwhile, MB', Object.keys(peak), [
      Object.values(peak).map((bytes) => (bytes / 1e6).toFixed(0)),
    ])
    await printLoopDelay(service)
  } finally {
    await service.stop()
  }
}

interface Ingested {
  per_second: number
  /** Processor time in microseconds a record. */
  api: number
  engine: number
  client: number
}

/** Records of one request. */
interface Body {
  account_id: string
  from: number
  rows: number
  days: number
}

/** By `count` clients at once, which share the records. */
async function ingestBy(service: Service, count: number, { account_id, from, rows, days }: Body): Promise<Ingested> {
  const files: string[] = []
  const share = Math.floor(rows / count)
  for (let n = 0; n < count; n++)
    files.push(await writeBody(service, { account_id, from: from + n * share, rows: share, days }))
  const cpu = () => ({
    api: cpuOf(service.processes()['api'] ?? []),
    engine: cpuOf(service.processes()['engine'] ?? []),
    client: cpuOf([process.pid]),
  })
  const before = cpu()
  const began = performance.now()
  const accepted = await Promise.all(files.map((file) => send(service, file)))
  const took_ms = performance.now() - began
  const after = cpu()
  const all = accepted.reduce((sum, each) => sum + each, 0)
  for (const file of files) await rm(file)
  return {
    per_second: (all / took_ms) * 1000,
    api: (after.api - before.api) / all,
    engine: (after.engine - before.engine) / all,
    client: (after.client - before.client) / all,
  }
}

/** Sends the file again where the store has too much to do, as a sender does. */
async function send(service: Service, file: string): Promise<number> {
  for (;;) {
    try {
      const { body } = await service.operator.ingestCdrs({
        body: Readable.toWeb(createReadStream(file, { highWaterMark: 1 << 20 })),
        content_type: 'application/x-ndjson',
      })
      if (body.data.rejected > 0 || body.data.duplicates > 0) throw new Error(JSON.stringify(body.data).slice(0, 500))
      return body.data.accepted
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error
      await sleep(100)
    }
  }
}

/** The path of a file of records that are numbered from `from`. On disk, or the store's next fsync would write it. */
async function writeBody(service: Service, { account_id, from, rows, days }: Body): Promise<string> {
  const file = path.join(service.folder, `${from}.ndjson`)
  const lines = callLines(account_id, { from, rows }, new Date(`${year.start_call_start_time}Z`), days)
  await pipeline(Readable.from(lines, { objectMode: false }), createWriteStream(file, { flush: true }))
  return file
}
