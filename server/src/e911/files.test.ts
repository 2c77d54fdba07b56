import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../test/support/eventually.ts'
import { sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { dbfOf } from '../engines/street-data/testing/dbf.ts'
import { overlappingZip, zipOf } from '../platform/testing/zip.ts'
import { openAddresses } from '../engines/street-data/testing/import.ts'

/** Invalid files of street data and addresses: each gets a reason with a remedy, and leaves nothing behind. */

const server = await startTestServer({ worker: true })
const { operator } = server

const GOOD = openAddresses('12 Main St|Hertford|NC|27944', '14 Oak St|Hertford|NC|27944')
const HEADER = 'street_number,street_name,city,state,country,zip'
const ROW = '12,Main St,Hertford,NC,US,27944'

type Options = { format?: 'openaddresses-csv' | 'openaddresses-geojsonl' | 'tiger-edges'; vintage?: string }
let names = 0

/** Sends a file under its own name. Returns the final state of its import. */
async function ended(body: string | Uint8Array, { format = 'openaddresses-csv', vintage = '1' }: Options = {}) {
  const query = { name: `File ${++names}`, vintage, format, activate: 'true' } as const
  const { body: response } = await operator.importE911Dataset({ query, body, content_type: 'application/octet-stream' })
  return await settled(response.data.id)
}

async function settled(dataset_id: string) {
  const read = async () => (await operator.getE911Dataset({ params: { dataset_id } })).body.data.attributes
  await eventually(async () => (await read()).status !== 'loading')
  return await read()
}

async function reasonFor(body: string | Uint8Array, options?: Options): Promise<string> {
  const { status, failure_reason, streets, progress } = await ended(body, options)
  assert.deepEqual([status, streets], ['failed', 0])
  assert.ok(progress < 1)
  return failure_reason ?? assert.fail('no reason')
}

async function staged(): Promise<string[]> {
  const { rows } = await server.runtime.database.pool.query<{ relname: string }>(
    `select relname from pg_class where relname like 'e911_staging%'`,
  )
  return rows.map(({ relname }) => relname)
}

const quoted = (rows: number) => GOOD + `,,1,"Main St,,Hertford,,NC,27944,,\n`.repeat(rows)
const wide = Array.from({ length: 3000 }, (_, i) => `c${i}`).join(',')
const table = (change: (bytes: Buffer) => void) => {
  const bytes = dbfOf([{ fullname: 'Bay St', lfromadd: '1', ltoadd: '99', zipl: '27944' }])
  change(bytes)
  return bytes
}
const archive = (change: (bytes: Buffer, directory: number) => void) => {
  const bytes = zipOf({ '../../../tmp/escaped.csv': GOOD })
  change(bytes, bytes.indexOf('PK\x01\x02', 0, 'latin1'))
  return bytes
}

describe('a file of street data', () => {
  const bad: [string, string | Uint8Array, RegExp, Options?][] = [
    ['with a header line only', openAddresses().trimEnd(), /no rows/],
    [
      'of another format',
      'a,b,c\n1,2,3\n',
      /no column number\. Is it in the format openaddresses-csv\? Its columns are a, b, c\./,
    ],
    ['in UTF-16', Buffer.from(`\ufeff${GOOD}`, 'utf16le'), /UTF-16\. Save it as UTF-8/],
    ['in UTF-16 without its mark', Buffer.from(GOOD, 'utf16le'), /NUL characters.*Save it as UTF-8/],
    ['in Latin-1', Buffer.from(GOOD.replace('Oak', 'Ch\u00eane'), 'latin1'), /not UTF-8\. Save it as UTF-8/],
    ['with NULs', GOOD.replace('Oak', 'O\0k'), /NUL characters/],
    ['with one line of 20 MB', 'x'.repeat(20_000_000), /row is longer than .*Fix that row/],
    ['with one line of 100 MB, packed', gzipSync(Buffer.alloc(100_000_000, 'x')), /row is longer than/],
    ['with a quote that never ends', quoted(1), /quote near the end of the file is not closed/],
    ['with a quote that never ends before many rows', quoted(1) + `,,1,Elm\n`.repeat(300_000), /row is longer than/],
    ['with the same column twice', GOOD.replace('UNIT', 'STREET'), /street more than once\. Rename/],
    ['with thousands of columns', `${wide}\n${wide}\n`, /more than 2000 columns/],
    [
      'of JSON in one line of 2 MB',
      `[${'{"a":1},'.repeat(250_000)}]`,
      /no column number.*Its columns are a\./,
      { format: 'openaddresses-geojsonl' },
    ],
    [
      'of JSON that is no lines',
      '{\n"features": [\n{\n}\n]\n}\n',
      /No row could be used/,
      { format: 'openaddresses-geojsonl' },
    ],
    ['that is a cut gzip', gzipSync(GOOD.repeat(50)).subarray(0, 100), /cannot be unpacked.*Send the complete file/],
    ['that is no table', 'x'.repeat(1000), /not a dBASE table/, { format: 'tiger-edges' }],
    [
      'whose table has fewer records than it says',
      table((b) => b.writeUInt32LE(1e9, 4)),
      /fewer records/,
      { format: 'tiger-edges' },
    ],
    [
      'whose table has columns beyond its records',
      table((b) => b.writeUInt16LE(3, 10)),
      /wider than its records/,
      { format: 'tiger-edges' },
    ],
    ['that is an archive without it', zipOf({ 'readme.html': 'x' }), /no file ending in \.csv/],
    ['that is a cut archive', archive(() => undefined).subarray(0, 150), /not a complete zip archive/],
    [
      'that is an archive with a wrong checksum',
      archive((b, at) => b.writeUInt32LE(1, at + 16)),
      /escaped\.csv is damaged/,
    ],
    ['that is an encrypted archive', archive((b, at) => b.writeUInt16LE(1, at + 8)), /encrypted.*without a password/],
    [
      'that is an archive packed in a new way',
      archive((b, at) => b.writeUInt16LE(93, at + 10)),
      /unsupported compression method \(93\)/,
    ],
    ['that is an archive with a size that lies', archive((b, at) => b.writeUInt32LE(10, at + 24)), /damaged/],
    ['that is an archive whose entry lies beyond it', archive((b, at) => b.writeUInt32LE(1e9, at + 42)), /ends early/],
    [
      'that is an archive whose entries share their bytes',
      overlappingZip('a.csv', GOOD, 2000),
      /overlap.*Create the archive again/,
    ],
    [
      'that is an archive with 64-bit sizes it does not have',
      archive((b, at) => b.writeUInt32LE(0xffffffff, at + 20)),
      /damaged|ends early/,
    ],
  ]
  for (const [what, body, reason, options] of bad)
    test(`${what} fails with the reason`, async () => assert.match(await reasonFor(body, options), reason))

  const good: [string, string | Uint8Array][] = [
    ['with a byte order mark and CRLF', `\ufeff${GOOD.replaceAll('\n', '\r\n')}`],
    ['without an end of its last line', GOOD.trimEnd()],
    ['in an archive with a name that leads elsewhere', archive(() => undefined)],
    ['packed as several gzip members', Buffer.concat([gzipSync(GOOD.slice(0, 50)), gzipSync(GOOD.slice(50))])],
  ]
  for (const [what, body] of good)
    test(`${what} is loaded`, async () => {
      const { status, failure_reason, streets, progress } = await ended(body)
      assert.deepEqual([status, failure_reason, streets, progress], ['active', null, 2, 1])
    })

  test('leaves no staging table behind', async () => assert.deepEqual(await staged(), []))

  test('that is empty does not replace one with streets', async () => {
    const query = { name: 'Kept', format: 'openaddresses-csv', activate: 'true' } as const
    const send = async (vintage: string, body: string) =>
      (await operator.importE911Dataset({ query: { ...query, vintage }, body, content_type: 'text/csv' })).body.data.id
    const kept = await send('1', GOOD)
    assert.equal((await settled(kept)).status, 'active')
    const empty = await send('2', 'number,road\n1,Main St\n')
    assert.equal((await settled(empty)).status, 'failed')
    const why = await sentence(operator.activateE911Dataset({ params: { dataset_id: empty } }), 409)
    assert.equal(why, `Dataset ${empty} is failed. Only a loaded dataset can be activated.`)
    assert.equal((await settled(kept)).status, 'active')
  })
})

describe('a file of addresses', () => {
  const outcome = async (body: string | Uint8Array, type = 'text/csv') => {
    const { body: response } = await server.account.client.createE911Validation({ body, content_type: type })
    const params = { validation_id: response.data.id }
    const read = async () => (await server.account.client.getE911Validation({ params })).body.data.attributes
    await eventually(async () => (await read()).status !== 'processing')
    return await read()
  }
  const bad: [string, string | Uint8Array, RegExp, string?][] = [
    ['in UTF-16', Buffer.from(`\ufeff${HEADER}\n${ROW}\n`, 'utf16le'), /UTF-16\. Save it as UTF-8/],
    ['that is packed', gzipSync(`${HEADER}\n${ROW}\n`), /packed with gzip\. Send it unpacked/],
    ['that is an archive', zipOf({ 'a.csv': `${HEADER}\n${ROW}\n` }), /zip archive\. Send the file that is inside/],
    ['with NULs', `${HEADER}\n${ROW.replace('Main', 'Ma\0n')}\n`, /NUL characters/],
    ['with a line of 10 MB', 'x'.repeat(10_000_000), /not CSV|longer than/],
    ['of JSON with a line of 10 MB', 'x'.repeat(10_000_000), /^Line 1 is longer/, 'application/x-ndjson'],
    ['with a quote that never ends', `${HEADER}\n"${ROW}\n`, /not CSV: .*[Qq]uote/],
    ['with a quote that never ends before many rows', `${HEADER}\n"${`${ROW}\n`.repeat(5000)}`, /not CSV/],
  ]
  for (const [what, body, reason, type] of bad)
    test(`${what} fails with the reason`, async () => {
      const { status, failure_reason } = await outcome(body, type)
      assert.equal(status, 'failed')
      assert.match(failure_reason ?? '', reason)
    })

  test('with an escaped NUL in JSON has that row refused and the others validated', async () => {
    const row = {
      street_number: 12,
      street_name: 'Ma\0in St',
      city: 'Hertford',
      state: 'NC',
      country: 'US',
      zip: '27944',
    }
    const lines = [row, { ...row, street_name: 'Main St', city: 'Hert\0ford' }, { ...row, street_name: 'Main St' }]
    const found = await outcome(lines.map((line) => JSON.stringify(line)).join('\n'), 'application/x-ndjson')
    assert.deepEqual([found.status, found.rows, found.verdicts['invalid_input']], ['completed', 3, 2])
  })

  test('with a byte order mark and CRLF is read', async () => {
    const { status, rows } = await outcome(`\ufeff${HEADER}\r\n${ROW}\r\n`)
    assert.deepEqual([status, rows], ['completed', 1])
  })
})
