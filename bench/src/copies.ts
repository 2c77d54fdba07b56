import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { cdrs } from '@demarc/client'
import pg from 'pg'
import { FORMATS } from '../../server/src/engines/call-records/columns.ts'
import { socketPath } from '../../server/src/engines/call-records/chdb/socket.ts'
import { cpuOf, type Service } from './service.ts'

/** Other ways to write the same call records to a file, for comparison with an export. */

export interface Copied {
  seconds: number
  cpu_s: number
  bytes: number
}

/** Measures `make`, which returns the size of the file in bytes. CPU is that of the service, this process, and its children. */
export async function measureCopy(service: Service, make: () => Promise<number>): Promise<Copied> {
  const cpu = () => cpuOf([process.pid, ...Object.values(service.processes()).flat()], { with_exited: true })
  const before = cpu()
  const began = performance.now()
  const bytes = await make()
  return { seconds: (performance.now() - began) / 1000, cpu_s: (cpu() - before) / 1e6, bytes }
}

/** Measures what makes the file `out`. */
const measured = (service: Service, out: string, make: () => Promise<void>): Promise<Copied> =>
  measureCopy(service, async () => {
    await make()
    return statSync(out).size
  })

/** `psql \copy` of the table from `loadPostgres`, through gzip at this level. */
export async function psqlCopy(service: Service, level: string): Promise<Copied> {
  const out = path.join(service.folder, 'psql.csv.gz')
  return await measured(service, out, async () => {
    const copy = '\\copy (select * from bench_cdr order by start_time) to pstdout with (format csv, header true)'
    const psql = spawn('psql', [service.database_url, '-qc', copy], { stdio: ['ignore', 'pipe', 'inherit'] })
    const compressor = spawn('gzip', [level], { stdio: ['pipe', 'pipe', 'inherit'] })
    const both = Promise.all([ended(psql), ended(compressor)])
    psql.stdout.pipe(compressor.stdin)
    await pipeline(compressor.stdout, createWriteStream(out))
    await both
  })
}

/** The floor: the engine alone writes the export's sorted lines to a file, without totals, verification, job, or callback. */
export async function engineCopy(service: Service, account_id: string): Promise<Copied> {
  const out = path.join(service.folder, 'engine.csv')
  const { select, settings } = FORMATS.csv
  const listed = Object.entries(settings).map(([name, value]) => `${name} = '${String(value)}'`)
  const sql = `INSERT INTO FUNCTION file('${out}', 'CSV') SELECT ${select} FROM demarc.cdr WHERE account_id = ${account_id} ORDER BY start_time, id SETTINGS ${listed.join(', ')}, engine_file_truncate_on_insert = 1`
  return await measured(service, out, async () => {
    await engineStatement(path.join(service.folder, 'cdrs'), sql)
  })
}

/** Runs a statement in the embedded engine. Returns the response's text. */
export async function engineStatement(folder: string, sql: string): Promise<string> {
  const outgoing = request({ socketPath: socketPath(folder), method: 'POST', path: '/', agent: false })
  outgoing.end(sql)
  const [response] = await once(outgoing, 'response')
  const text: string[] = []
  for await (const chunk of response.setEncoding('utf8')) text.push(String(chunk))
  if (response.statusCode !== 200) throw new Error(`the engine refused a statement: ${text.join('')}`)
  return text.join('')
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${child.spawnfile} exited with status ${code}`)
}

/** Loads an exported file into PostgreSQL, with the index that the query needs. */
export async function loadPostgres(service: Service, file: string): Promise<void> {
  const columns = cdrs.exportColumns.map((c) => `${c} ${columnType(c)}`).join(', ')
  const client = new pg.Client({ connectionString: service.database_url })
  await client.connect()
  await client.query(`create unlogged table bench_cdr (${columns})`)
  const load = '\\copy bench_cdr from pstdin with (format csv, header true)'
  const psql = spawn('psql', [service.database_url, '-qc', load], { stdio: ['pipe', 'inherit', 'inherit'] })
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
