import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { cdrs, createDemarcClient, type DemarcClient } from '@demarc/client'
import { callLines } from './call-records.ts'
import { load } from './load.ts'
import { printLoopDelay } from './loop-delay.ts'
import { mb, median, seconds, table } from './report.ts'
import { cpuOf, cpuOfEnded, startService, watchMemory, type Service } from './service.ts'

const rounds = 3
const year = { start_call_start_time: '2025-01-01 00:00:00', start_call_end_time: '2026-01-01 00:00:00' }

/**
 * An export of a year with `rows` call records against `psql \copy … | gzip` on the same rows in PostgreSQL, alternating, with
 * the peak memory of every process and the latency of the API meanwhile.
 */
export async function benchExports(rows: number): Promise<void> {
  const service = await startService()
  try {
    const { account_id, client, authorization } = await newAccount(service)
    await ingest(service, account_id, rows)
    const first = await runExport(service, client)
    await loadPostgres(service, first.file)
    const measured: Measured = { demarc_ms: [], psql_ms: [], demarc_cpu: [], psql_cpu: [] }
    let peak: Record<string, number> = {}
    const delays: { p50_ms: number; p99_ms: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const copied = await runPsql(service)
      measured.psql_ms.push(copied.ms)
      measured.psql_cpu.push(copied.cpu_us)
      const stopWatching = watchMemory(service.processes)
      const exported = await runExport(service, client, authorization)
      const sampled = stopWatching()
      peak = Object.fromEntries(
        Object.keys({ ...peak, ...sampled }).map((k) => [k, Math.max(peak[k] ?? 0, sampled[k] ?? 0)]),
      )
      measured.demarc_ms.push(exported.ms)
      measured.demarc_cpu.push(exported.cpu_us)
      if (exported.delay) delays.push(exported.delay)
      if (exported.digest !== first.digest) throw new Error('two exports of the same records differ')
      console.log(`round ${round + 1}: Demarc ${seconds(exported.ms)} s, psql | gzip ${seconds(copied.ms)} s`)
    }
    printExports(rows, measured, { psql: statSync(path.join(service.folder, 'psql.csv.gz')).size, demarc: first.bytes })
    printMeanwhile(peak, delays)
    await printLoopDelay(service)
  } finally {
    await service.stop()
  }
}

/** Of each round. */
interface Measured {
  demarc_ms: number[]
  psql_ms: number[]
  demarc_cpu: number[]
  psql_cpu: number[]
}

function printExports(rows: number, measured: Measured, bytes: { psql: number; demarc: number }): void {
  table(
    `Export of a year, ${rows.toLocaleString('en')} call records, 25 columns, csv.gz, ${rounds} rounds, medians`,
    ['', 'seconds', 'CPU seconds', 'file MB'],
    [
      [
        'psql \\copy … | gzip',
        seconds(median(measured.psql_ms)),
        seconds(median(measured.psql_cpu) / 1000),
        mb(bytes.psql),
      ],
      [
        'Demarc export, request to completed',
        seconds(median(measured.demarc_ms)),
        seconds(median(measured.demarc_cpu) / 1000),
        mb(bytes.demarc),
      ],
      [
        'Demarc ÷ psql, by round',
        ratio(measured.demarc_ms, measured.psql_ms),
        ratio(measured.demarc_cpu, measured.psql_cpu),
        '',
      ],
    ],
  )
}

function printMeanwhile(peak: Record<string, number>, delays: readonly { p50_ms: number; p99_ms: number }[]): void {
  table('Peak resident memory while exporting, MB', Object.keys(peak), [Object.values(peak).map(mb)])
  table(
    'GET /v2/whoami from one connection while exporting',
    ['p50 ms', 'p99 ms'],
    [[median(delays.map((d) => d.p50_ms)).toFixed(2), median(delays.map((d) => d.p99_ms)).toFixed(2)]],
  )
}

const ratio = (a: readonly number[], b: readonly number[]) =>
  median(a.map((v, i) => v / (b[i] ?? Number.NaN))).toFixed(2)

async function newAccount(
  service: Service,
): Promise<{ account_id: string; client: DemarcClient; authorization: string }> {
  const { body } = await service.operator.createAccount({ body: { name: 'Bench' } })
  const account_id = body.data.id
  const key = (await service.operator.createKey({ params: { account_id }, body: { name: 'bench' } })).body.data
    .attributes
  const authorization = Buffer.from(`${key.access_key}:${key.secret_key}`).toString('base64')
  return {
    account_id,
    client: createDemarcClient({ retry: false, base_url: service.base_url, credentials: key }),
    authorization,
  }
}

async function ingest(service: Service, account_id: string, rows: number): Promise<void> {
  const api = service.processes()['api'] ?? []
  const cpu = cpuOf(api)
  const began = performance.now()
  const body = Readable.toWeb(
    Readable.from(callLines(account_id, rows, new Date('2025-01-01T00:00:00Z'), 365), { objectMode: false }),
  )
  const { body: ingested } = await service.operator.ingestCdrs({
    body,
    content_type: 'application/x-ndjson',
  })
  const took = performance.now() - began
  if (ingested.data.accepted !== rows)
    throw new Error(
      `of ${rows} records ${ingested.data.accepted} were accepted: ${JSON.stringify(ingested.data.errors.slice(0, 3))}`,
    )
  table(
    'Ingest over HTTP, NDJSON, generator on the same machine',
    ['records', 'seconds', 'records/s', 'API CPU µs/record'],
    [[String(rows), seconds(took), ((rows / took) * 1000).toFixed(0), ((cpuOf(api) - cpu) / rows).toFixed(1)]],
  )
}

async function runExport(service: Service, client: DemarcClient, authorization?: string) {
  const cpu = cpuSoFar(Object.values(service.processes()).flat())
  const began = performance.now()
  const { body } = await client.createCdrExport({
    body: { data: { type: 'cdrexport', attributes: { filter_parameters: year } } },
  })
  const { id } = body.data
  const port = Number(new URL(service.base_url).port)
  // one connection sends requests meanwhile: its latency is the delay of the API's event loop
  const probe = authorization
    ? load({
        port,
        connections: 1,
        duration_s: 15,
        request: () => `GET /v2/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${authorization}\r\n\r\n`,
      })
    : null
  for (;;) {
    const { attributes } = (await client.getCdrExport({ params: { export_id: id } })).body.data
    if (attributes.status === 'failed') throw new Error(attributes.failure_reason ?? 'the export failed')
    if (attributes.status === 'completed') {
      const ms = performance.now() - began
      const cpu_us = cpuSoFar(Object.values(service.processes()).flat()) - cpu
      const digest = attributes.sha256 ?? ''
      const file = path.join(service.folder, 'files', digest.slice(0, 2), digest.slice(2, 4), digest)
      return { ms, cpu_us, digest, bytes: attributes.bytes ?? 0, file, delay: await probe }
    }
    await sleep(100)
  }
}

/** The processor time of processes and of those that they replaced: a restarted engine, a closed connection. */
const cpuSoFar = (pids: readonly number[]) => cpuOf(pids) + cpuOfEnded(pids)

/** Loads the rows of the export's file into PostgreSQL. */
async function loadPostgres(service: Service, file: string): Promise<void> {
  const columns = cdrs.exportColumns.map((c) => `${c} ${columnType(c)}`).join(', ')
  const client = new pg.Client({ connectionString: service.databaseUrl() })
  await client.connect()
  await client.query(`create unlogged table bench_cdr (${columns})`)
  await client.end()
  const psql = spawn(
    'psql',
    [service.databaseUrl(), '-qc', '\\copy bench_cdr from pstdin with (format csv, header true)'],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  const done = new Promise<number | null>((resolve) => psql.once('exit', resolve))
  await pipeline(createReadStream(file), createGunzip(), psql.stdin)
  if ((await done) !== 0) throw new Error('psql could not load the rows')
  const indexer = new pg.Client({ connectionString: service.databaseUrl() })
  await indexer.connect()
  await indexer.query('create index on bench_cdr (start_time)')
  await indexer.query('vacuum analyze bench_cdr')
  await indexer.end()
}

function columnType(column: string): string {
  if (column.endsWith('_time')) return 'timestamptz(3)'
  if (/cost|fee|ccrf|rate/.test(column)) return 'numeric(18,8)'
  return /duration|increment|sip_code/.test(column) ? 'int' : 'text'
}

async function runPsql(service: Service): Promise<{ ms: number; cpu_us: number }> {
  const out = path.join(service.folder, 'psql.csv.gz')
  const query = `select * from bench_cdr where start_time >= '${year.start_call_start_time}Z' and start_time < '${year.start_call_end_time}Z' order by start_time`
  // psql and gzip are our own children, and counted after their exit
  const cpu = () => cpuSoFar(service.processes()['postgres'] ?? []) + cpuOfEnded([process.pid])
  const before = cpu()
  const began = performance.now()
  const psql = spawn(
    'psql',
    [service.databaseUrl(), '-qc', `\\copy (${query}) to pstdout with (format csv, header true)`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const gzip = spawn('gzip', ['-6'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = Promise.all([once(psql, 'exit'), once(gzip, 'exit')])
  psql.stdout.pipe(gzip.stdin)
  await pipeline(gzip.stdout, createWriteStream(out))
  const ms = performance.now() - began
  if ((await ended).some(([code]) => code !== 0)) throw new Error('psql or gzip failed')
  return { ms, cpu_us: cpu() - before }
}
