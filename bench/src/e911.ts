import { readFileSync, createWriteStream, statSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import type pg from 'pg'
import { followUps } from '../../server/src/e911/index.ts'
import { importDataset } from '../../server/src/engines/street-data/index.ts'
import { openDatabase } from '../../server/src/platform/db.ts'
import { silentLog } from '../../server/src/platform/postgres/log.ts'
import { load } from './load.ts'
import { compare, formatNumber, mb, table, type Side } from './report.ts'
import { cpuOf, newAccount, withService, type Service } from './service.ts'

/** E911 validation at national size: made-up streets in the real ZIP codes, eight ranges each, loaded by the importer. */

const ranges_per_street = 8
const streets_per_zip = 160
/** Four as in one application, and enough to keep the service busy. */
const connections = [4, 16]

export async function benchE911(streets: number, long: boolean): Promise<void> {
  await withService({}, async (service) => {
    // fewer ZIP codes for fewer streets, so that each is as full as in the whole country
    const zips = readZips().slice(0, Math.ceil(streets / streets_per_zip))
    const file = path.join(service.folder, 'national.csv')
    await pipeline(Readable.from(centerLines(zips, streets), { objectMode: false }), createWriteStream(file))
    const { dataset, took, grown } = await importStreets(service.database_url, file)
    const { ranges } = dataset
    table({
      name: 'import',
      title: 'Importing street data',
      head: ['file, MB', 'range sides', 'streets', 'seconds', 'range sides/s', 'database, MB'],
      rows: [
        [
          mb(statSync(file).size),
          ...[ranges, dataset.streets, took, ranges / took].map((n) => formatNumber(n)),
          mb(grown),
        ],
      ],
    })
    await validations(service, zips, streets, long)
  })
}

async function importStreets(database_url: string, file: string) {
  const { pool, close } = openDatabase({ connection: database_url, log: silentLog, application_name: 'demarc-bench' })
  try {
    const before = await databaseBytes(pool)
    const { dataset, seconds: took } = await importDataset(pool, {
      file,
      format: 'nena-rcl-csv',
      name: 'National, made up',
      vintage: '1',
      authority: 'authoritative',
      activate: true,
      // the import's comparison with real towns would refuse made-up streets
      force: true,
      now: new Date(),
      follow_ups: followUps,
    })
    return { dataset, took, grown: (await databaseBytes(pool)) - before }
  } finally {
    await close()
  }
}

async function validations(service: Service, zips: readonly Zip[], streets: number, long: boolean): Promise<void> {
  const { authorization } = await newAccount(service)
  const duration_s = long ? 10 : 1
  const cpu = () => {
    const { api = [], postgres = [] } = service.processes()
    return { api: cpuOf(api), postgres: cpuOf(postgres) }
  }
  const side = (clients: number, name: string, typo: boolean, accepted: number): Side => ({
    name: `${name}, ${clients} connections`,
    async run() {
      const request = (i: number) => post(authorization, addressAt(zips, streets, (i * 7919) % streets, typo))
      const before = cpu()
      const result = await load({ port: service.port, request, connections: clients, duration_s, accepted })
      const after = cpu()
      const { requests, errors, requests_per_s, p50_ms, p99_ms } = result
      const per_request = [(after.api - before.api) / requests, (after.postgres - before.postgres) / requests]
      return [requests_per_s, p50_ms, p99_ms, (100 * (requests - errors)) / requests, ...per_request]
    },
  })
  await compare({
    name: 'validate',
    title: `POST /v2/e911s/validate against ${formatNumber(streets)} streets, ${duration_s} s each`,
    measures: [
      { name: 'throughput', unit: 'requests/s', digits: 0 },
      { name: 'median', unit: 'ms', digits: 2 },
      { name: 'p99', unit: 'ms', digits: 2 },
      { name: 'expected status', unit: '%', digits: 1 },
      { name: 'API CPU', unit: 'µs/request', digits: 0 },
      { name: 'PostgreSQL CPU', unit: 'µs/request', digits: 0 },
    ],
    sides: connections.flatMap((of) => [side(of, 'exact', false, 204), side(of, 'one wrong letter', true, 422)]),
  })
}

function post(authorization: string, attributes: Record<string, string>): string {
  const body = JSON.stringify({
    data: { type: 'e911', attributes: { label: 'Bench', first_name: 'A', last_name: 'B', ...attributes } },
  })
  return `POST /v2/e911s/validate HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/vnd.api+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

interface Zip {
  code: string
  state: string
  city: string
}

function readZips(): Zip[] {
  const file = path.resolve(import.meta.dirname, '../../server/src/engines/addresses/postal/data/us-zips.tsv.gz')
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  return lines.flatMap((line) => {
    const [code = '', state = '', , city = ''] = line.split('\t')
    return /^(AA|AE|AP)$/.test(state) || city === '' ? [] : [{ code, state, city: city.split('|')[0] ?? city }]
  })
}

const beginnings =
  'Ash Bar Cole Dun East Fern Glen Hart Ivy Kings Lake Mill North Oak Park Quail Rock Stan Thorn Wood'.split(' ')
const endings =
  'berry brook dale field ford gate ham hurst land ley mont more ridge side ton view ville water well worth'.split(' ')
const types = ['St', 'Ave', 'Rd', 'Dr', 'Ln', 'Ct', 'Blvd', 'Way']

/** The nth street of the country: ZIP codes take turns, and multiplication picks the name. */
function streetAt(zips: readonly Zip[], n: number): { zip: Zip; name: string; type: string } {
  const zip = zips[n % zips.length] ?? { code: '', state: '', city: '' }
  const at = Math.floor(n / zips.length)
  const pick = (at * 37 + (n % zips.length) * 11) % (beginnings.length * endings.length)
  const name = `${beginnings[pick % beginnings.length]}${endings[Math.floor(pick / beginnings.length)]}`
  return { zip, name, type: types[(at + Math.floor((at * 37) / 400)) % types.length] ?? 'St' }
}

function addressAt(zips: readonly Zip[], streets: number, n: number, typo: boolean): Record<string, string> {
  const { zip, name, type } = streetAt(zips, n % streets)
  const letter = name[2] === 'x' ? 'z' : 'x'
  const written = typo ? name.slice(0, 2) + letter + name.slice(3) : name
  return {
    street_number: String(100 + (n % 300)),
    street_name: `${written} ${type}`,
    city: zip.city,
    state: zip.state,
    country: 'US',
    zip: zip.code,
  }
}

/** NENA road centerlines: four segments per street, with a range on each side. */
function* centerLines(zips: readonly Zip[], streets: number): Generator<Buffer> {
  yield Buffer.from(
    'St_Name,St_PosTyp,FromAddr_L,ToAddr_L,Parity_L,FromAddr_R,ToAddr_R,Parity_R,State_L,State_R,PostCode_L,PostCode_R,PostComm_L,PostComm_R,MSAGComm_L,MSAGComm_R,Country_L,Country_R\n',
  )
  let lines: string[] = []
  for (let n = 0; n < streets; n++) {
    const { zip, name, type } = streetAt(zips, n)
    const columns = `${zip.state},${zip.state},${zip.code},${zip.code},${zip.city},${zip.city},${zip.city},${zip.city},US,US`
    for (let s = 1; s <= ranges_per_street / 2; s++)
      lines.push(`${name},${type},${s * 100 + 1},${s * 100 + 99},O,${s * 100},${s * 100 + 98},E,${columns}\n`)
    if (lines.length < 4000) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}

async function databaseBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
  return Number(rows[0]?.bytes ?? 0)
}
