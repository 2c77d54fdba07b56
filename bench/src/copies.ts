import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { cdrs } from '@demarc/client'
import pg from 'pg'
import { FORMATS } from '../../server/src/engines/call-records/columns.ts'
import { LIMITS } from '../../server/src/engines/call-records/limits.ts'
import { socketPath } from '../../server/src/engines/call-records/chdb/socket.ts'
import { duckdbExport } from './peers.ts'
import { cpuOf, cpuOfEnded, type Service } from './service.ts'

/** Other ways to make a file of the same call records, which an export is measured beside. */

export interface Copied {
  seconds: number
  cpu_s: number
  bytes: number
}

/** Makes the file `out` and returns what it took, with the processor time of the service's processes and of our children. */
async function measured(service: Service, out: string, make: () => Promise<void>): Promise<Copied> {
  rmSync(out, { force: true })
  const cpu = () => cpuSoFar(Object.values(service.processes()).flat()) + cpuOfEnded([process.pid])
  const before = cpu()
  const began = performance.now()
  await make()
  const seconds = (performance.now() - began) / 1000
  return { seconds, cpu_s: (cpu() - before) / 1e6, bytes: statSync(out).size }
}

/** The processor time of processes and of those that they replaced: a restarted engine, a closed connection. */
export const cpuSoFar = (pids: readonly number[]): number => cpuOf(pids) + cpuOfEnded(pids)

/** `psql \copy` of the table that `loadPostgres` made, through a compressor: `['gzip', '-6']`; without one to a plain file. */
export async function psqlCopy(service: Service, [command, ...args]: readonly string[]): Promise<Copied> {
  const out = path.join(service.folder, `psql-${command ?? 'plain'}.csv`)
  return await measured(service, out, async () => {
    const copy = '\\copy (select * from bench_cdr order by start_time) to pstdout with (format csv, header true)'
    const psql = spawn('psql', [service.databaseUrl(), '-qc', copy], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (command === undefined) {
      const copied = ended(psql)
      await pipeline(psql.stdout, createWriteStream(out))
      return await copied
    }
    const compressor = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const both = Promise.all([ended(psql), ended(compressor)])
    psql.stdout.pipe(compressor.stdin)
    await pipeline(compressor.stdout, createWriteStream(out))
    await both
  })
}

/** Whether a command can be run here. */
export const hasCommand = (command: string): boolean =>
  spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0

/** DuckDB, from our own Parquet export of the same records. */
export async function duckdbCopy(service: Service, parquet: string): Promise<Copied> {
  const out = path.join(service.folder, 'duckdb.csv.gz')
  return await measured(service, out, () => ended(duckdbExport(parquet, out)))
}

/**
 * The engine alone, which is the floor: it writes the bytes of the export's lines into a file itself, sorted, without totals, proof,
 * job or callback. `compressed` sends the file through gzip afterwards, at the level of an export, on one core.
 */
export async function engineCopy(service: Service, account_id: string, compressed: boolean): Promise<Copied> {
  const raw = path.join(service.folder, 'engine.csv')
  const { select, settings } = FORMATS.csv
  const listed = Object.entries(settings).map(([name, value]) => `${name} = '${String(value)}'`)
  const sql = `INSERT INTO FUNCTION file('${raw}', 'CSV') SELECT ${select} FROM demarc.cdr WHERE account_id = ${account_id} ORDER BY start_time, id SETTINGS ${listed.join(', ')}, engine_file_truncate_on_insert = 1`
  return await measured(service, compressed ? `${raw}.gz` : raw, async () => {
    await engineStatement(path.join(service.folder, 'cdrs'), sql)
    if (compressed) await ended(spawn('gzip', ['-kf', `-${LIMITS.gzip_level}`, raw], { stdio: 'inherit' }))
  })
}

async function engineStatement(folder: string, sql: string): Promise<void> {
  const outgoing = request({ socketPath: socketPath(folder), method: 'POST', path: '/', agent: false })
  outgoing.end(sql)
  const [response] = await once(outgoing, 'response')
  const text: string[] = []
  for await (const chunk of response.setEncoding('utf8')) text.push(String(chunk))
  if (response.statusCode !== 200) throw new Error(`the engine refused a statement: ${text.join('')}`)
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${child.spawnfile} exited with status ${code}`)
}

/** Loads the rows of an export's file into PostgreSQL, with the index that the query needs. */
export async function loadPostgres(service: Service, file: string): Promise<void> {
  const columns = cdrs.exportColumns.map((c) => `${c} ${columnType(c)}`).join(', ')
  const client = new pg.Client({ connectionString: service.databaseUrl() })
  await client.connect()
  await client.query(`create unlogged table bench_cdr (${columns})`)
  const load = '\\copy bench_cdr from pstdin with (format csv, header true)'
  const psql = spawn('psql', [service.databaseUrl(), '-qc', load], { stdio: ['pipe', 'inherit', 'inherit'] })
  const loaded = ended(psql)
  await pipeline(createReadStream(file), createGunzip(), psql.stdin)
  await loaded
  await client.query('create index on bench_cdr (start_time)')
  await client.query('vacuum analyze bench_cdr')
  await client.end()
}

function columnType(column: string): string {
  if (column.endsWith('_time')) return 'timestamptz(3)'
  if (/cost|fee|ccrf|rate/.test(column)) return 'numeric(18,8)'
  return /duration|increment|sip_code/.test(column) ? 'int' : 'text'
}
