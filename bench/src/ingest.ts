import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotReadyError } from '@demarc/client'
import { callLines } from './call-records.ts'
import { formatNumber, loadNow, mb, median, table } from './report.ts'
import { cpuOf, newAccount, loopDelayMax, withService, watchMemory, type Service } from './service.ts'

const rounds = 5

/** Live calls are all of one day; a backfill spans all months, each of which the store keeps in its own part. */
const sides = [1, 365].flatMap((days) => [1, 4].map((clients) => ({ clients, days })))

/** Bulk ingest over HTTP by one client and by four, in turns, from files written beforehand because generating takes a core. */
export async function benchIngest(rows: number): Promise<void> {
  await withService({}, async (service) => {
    const { account_id } = await newAccount(service)
    const measured = new Map(sides.map((side) => [side, [] as Ingested[]]))
    const stopWatching = watchMemory(service.processes)
    const loads = [loadNow()]
    let from = 0
    // the next reading is without the start
    await loopDelayMax(service)
    for (let round = 0; round < rounds; round++, loads.push(loadNow()))
      for (const [{ clients, days }, found] of measured) {
        found.push(await ingestBy(service, clients, { account_id, from, rows, days }))
        from += rows
      }
    table({
      name: 'ingest',
      title: `Ingesting ${formatNumber(rows)} call records over HTTP as NDJSON; a record is on disk when acknowledged. Medians of ${rounds}`,
      head: ['clients', 'days', 'records/s', 'API CPU, µs/record', 'engine CPU, µs/record', 'client CPU, µs/record'],
      rows: [...measured].map(([{ clients, days }, found]) => [
        String(clients),
        String(days),
        formatNumber(median(found.map(({ per_second }) => per_second))),
        ...(['api', 'engine', 'client'] as const).map((name) => median(found.map((each) => each[name])).toFixed(1)),
      ]),
      loads,
    })
    const peak = stopWatching()
    table({
      name: 'resources',
      title: 'During ingest: peak memory of each process, and the longest event loop delay of the API',
      head: [...Object.keys(peak).map((name) => `${name}, MB`), 'delay, ms'],
      rows: [[...Object.values(peak).map(mb), (await loopDelayMax(service)).toFixed(0)]],
      loads,
    })
  })
}

interface Ingested {
  per_second: number
  /** CPU time, microseconds per record. */
  api: number
  engine: number
  client: number
}

interface Records {
  account_id: string
  from: number
  rows: number
  days: number
}

/** `count` clients at the same time, each with its share of the records. */
async function ingestBy(service: Service, count: number, { rows, ...records }: Records): Promise<Ingested> {
  const share = Math.floor(rows / count)
  const files: string[] = []
  for (let n = 0; n < count; n++)
    files.push(await writeBody(service, { ...records, from: records.from + n * share, rows: share }))
  const { api = [], engine = [] } = service.processes()
  const cpu = () => [api, engine, [process.pid]].map((pids) => cpuOf(pids))
  const before = cpu()
  const began = performance.now()
  const accepted = (await Promise.all(files.map((file) => send(service, file)))).reduce((sum, each) => sum + each, 0)
  const per_second = (accepted / (performance.now() - began)) * 1000
  const [api_us = 0, engine_us = 0, client_us = 0] = cpu().map((used, i) => (used - (before[i] ?? 0)) / accepted)
  for (const file of files) await rm(file)
  return { per_second, api: api_us, engine: engine_us, client: client_us }
}

/** Sends the file, and sends it again while the store is busy. */
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

/** Writes records to a file and flushes it; otherwise the store's next fsync would write it. Returns its path. */
async function writeBody(service: Service, { account_id, from, rows, days }: Records): Promise<string> {
  const file = path.join(service.folder, `${from}.ndjson`)
  const lines = callLines(account_id, { from, rows }, days)
  await pipeline(Readable.from(lines, { objectMode: false }), createWriteStream(file, { flush: true }))
  return file
}
