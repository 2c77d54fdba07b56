import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { testDatabase } from '../../../../test/support/database.ts'
import { zipOf } from '../../../platform/testing/zip.ts'
import { dbfOf } from '../testing/dbf.ts'
import { importText, withFile } from '../testing/import.ts'
import { CSV, stored } from '../testing/stored.ts'
import type { Get } from './format.ts'
import { FORMATS } from './formats/index.ts'
import type { ImportOptions } from './importer.ts'
import { eachJsonRecord } from './json.ts'

const FEATURES = [
  { HOUSE: 12, ROAD: 'Main St', TOWN: 'Hertford' },
  { HOUSE: '14', ROAD: 'Main St', TOWN: 'Hertford' },
].map((properties) => ({ type: 'Feature', properties, geometry: { type: 'Point', coordinates: [-76.4, 36.1] } }))
const COLLECTION = { type: 'FeatureCollection', name: 'addresses', crs: { type: 'name' }, features: FEATURES }
const LINES = FEATURES.map((feature) => JSON.stringify(feature))
const DBF = dbfOf(FEATURES.map(({ properties }) => ({ ...properties, HOUSE: String(properties.HOUSE) })))
const POINTS = { state: 'NC', columns: { number: 'HOUSE', street: 'ROAD', city: 'town' } }

describe('points are read from', () => {
  const files: [string, string | Uint8Array][] = [
    ['CSV', CSV('HOUSE;ROAD;TOWN', '12;Main St;Hertford', '14;Main St;Hertford')],
    ['a dBASE table', DBF],
    ['a shapefile', zipOf({ 'a.shp': 'x', 'a.shx': 'x', 'a.prj': 'x', 'a.cpg': 'UTF-8', 'a.dbf': DBF })],
    ['a FeatureCollection in one line', JSON.stringify(COLLECTION)],
    ['a FeatureCollection over many lines', JSON.stringify(COLLECTION, null, 2)],
    ['a FeatureCollection with a feature on each line', `{"features":[\n${LINES.join(',\n')}\n]}`],
    ['features on lines of their own', LINES.join('\n')],
    ['a text sequence of features', LINES.map((line) => `\x1e${line}\n`).join('')],
    ['an array of objects', JSON.stringify(FEATURES.map(({ properties }) => properties))],
    ['a zip archive with GeoJSON', zipOf({ 'a.geojson': JSON.stringify(COLLECTION) })],
  ]
  for (const [what, file] of files)
    test(what, async (t) => {
      const { pool } = await testDatabase(t)
      const { dataset } = await importText(pool, 'points', file, POINTS)
      assert.deepEqual(await stored(pool), ['US|NC||HERTFORD|MAIN ST|[12,14]|'])
      assert.deepEqual([dataset.rows_read, dataset.rows_skipped], [2, 0])
    })
})

describe('ranges are read from', () => {
  const columns = { street: 'NAME', left_from: 'LF', left_to: 'LT', right_from: 'RF', right_to: 'RT', city: 'TOWN' }
  const files: [string, string | Uint8Array, Partial<ImportOptions>, string[]][] = [
    [
      'a table with both sides, which have the parity of their ends',
      dbfOf([
        { NAME: 'Main St', LF: '101', LT: '199', RF: '100', RT: '198', TOWN: 'Hertford' },
        { NAME: 'Oak St', LF: '0', LT: '0', RF: '1', RT: '98', TOWN: 'Hertford' },
      ]),
      { columns },
      ['US|NC||HERTFORD|MAIN ST|[[100,198,2],[101,199,1]]|', 'US|NC||HERTFORD|OAK ST|[[1,98,0]]|'],
    ],
    [
      'a table with one range in each row',
      CSV('street,low,high,city,zip', 'Main St,101,199,Hertford,27944'),
      {},
      ['US|NC|27944|HERTFORD|MAIN ST|[[101,199,1]]|'],
    ],
  ]
  for (const [what, file, options, streets] of files)
    test(what, async (t) => {
      const { pool } = await testDatabase(t)
      await importText(pool, 'ranges', file, { state: 'NC', ...options })
      assert.deepEqual(await stored(pool), streets)
    })
})

test('a NENA schema is also read from a shapefile, and ranges without a parity get that of their ends', async (t) => {
  const { pool } = await testDatabase(t)
  const table = dbfOf([
    { FROMADDR_L: '101', TOADDR_L: '199', ST_NAME: 'Main', ST_POSTYP: 'St', STATE_L: 'NC', MSAGCOMM_L: 'Hertford' },
  ])
  await importText(pool, 'nena-rcl-csv', zipOf({ 'rcl.dbf': table }))
  assert.deepEqual(await stored(pool), ['US|NC||HERTFORD|MAIN ST|[[101,199,1]]|'])
})

describe('an unsupported file is refused with the command to convert it', () => {
  const files: [string, string | Uint8Array, string, RegExp][] = [
    [
      'a GeoPackage',
      Buffer.from('SQLite format 3\0 and so on'),
      'a.gpkg',
      /a\.gpkg is a GeoPackage .* ogr2ogr -f CSV streets\.csv a\.gpkg LAYER/,
    ],
    [
      'a file geodatabase',
      zipOf({ 'roads.gdb/a00000001.gdbtable': 'x' }),
      'a.zip',
      /contains roads\.gdb, .* ogr2ogr -f CSV streets\.csv roads\.gdb LAYER/,
    ],
    [
      'a workbook',
      zipOf({ '[Content_Types].xml': 'x', 'xl/workbook.xml': 'x' }),
      'a.xlsx',
      /a\.xlsx is an Excel workbook.*Save it as CSV/,
    ],
    ['KML', '<?xml version="1.0"?><kml/>', 'a.kml', /a\.kml is XML, such as GML and KML.*ogr2ogr/],
    ['FlatGeobuf', 'fgb\x03fgb\x00', 'a.fgb', /a\.fgb is FlatGeobuf.*ogr2ogr/],
  ]
  for (const [what, content, name, reason] of files)
    test(what, async (t) => {
      const { pool } = await testDatabase(t)
      const load = (file: string) => importText(pool, 'points', '', { file })
      await withFile(content, (file) => assert.rejects(load(file), reason), name)
    })
})

describe('GeoJSON', () => {
  const read = async (text: string, on_record: (get: Get) => void = () => undefined) => {
    const pieces = function* () {
      for (let at = 0; at < text.length; at += 1 << 16) yield Buffer.from(text.slice(at, at + (1 << 16)))
    }
    let records = 0
    await eachJsonRecord(Readable.from(pieces()), (get) => {
      records++
      on_record(get)
      return undefined
    })
    return records
  }

  const hostile: [string, string, RegExp][] = [
    ['that nests a million arrays', `{"features":${'['.repeat(1_000_000)}`, /nests objects deeper than 64 levels/],
    ['that nests a million objects', `{\n"a":${'{"a":'.repeat(1_000_000)}`, /nests objects deeper than 64 levels/],
    [
      'with a text of 20 MB',
      `{\n"features":[{"properties":{"a":"${'x'.repeat(20_000_000)}"}}]}`,
      /longer than 8388608 characters/,
    ],
    [
      'with a list of 20 MB before its features',
      `{\n"a":[${'1,'.repeat(10_000_000)}1],"features":[]}`,
      /longer than 8388608/,
    ],
    ['that ends early', JSON.stringify(COLLECTION, null, 2).slice(0, -5), /ends early\. Send the complete file/],
    [
      'that is empty in the middle',
      `{\n"features":[{"a":1} {"a":2}]}`,
      /The file is not valid JSON: .*Send the complete file/,
    ],
  ]
  for (const [what, text, reason] of hostile)
    test(`${what} is refused`, async () => {
      await assert.rejects(
        read(text),
        (error) => error instanceof Error && error.name === 'FileRefused' && reason.test(error.message),
      )
    })

  test('with many features is read in little memory', async () => {
    const features = Array.from({ length: 200_000 }, () => LINES[0]).join(',')
    const before = process.memoryUsage().heapUsed
    let [most, seen] = [0, 0]
    const records = await read(`{"features":[\n${features}]}`, () => {
      if (++seen % 1_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
    })
    assert.equal(records, 200_000)
    assert.ok(most - before < 300_000_000, String(most - before))
  })

  test('with a property called __proto__ changes nothing', async () => {
    await read('{\n"features":[{"properties":{"__proto__":{"polluted":1},"a":"b"}}]}', (get) =>
      assert.equal(get('a'), 'b'),
    )
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
})

describe('every column that a format reads can be named in columns=:', () => {
  for (const [name, format] of Object.entries(FORMATS)) {
    if (format.container === 'lines') continue
    test(name, () => {
      const asked = new Set<string>()
      // any combination of present and missing columns
      let seed = 7
      const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
      const sink = { row: () => undefined, skip: () => undefined, county: () => undefined }
      for (let run = 0; run < 600; run++) {
        const missing = [0.1, 0.5, 0.95][run % 3] ?? 0
        format.read((column: string) => {
          asked.add(column)
          return random() < missing ? '' : '1'
        }, sink)
      }
      assert.deepEqual([...asked].toSorted(), Object.keys(format.columns).toSorted())
    })
  }
})

describe('a dBASE table', () => {
  const changed = (change: (table: Buffer) => void) => {
    const table = Buffer.from(DBF)
    change(table)
    return table
  }
  const hostile: [string, Buffer, RegExp][] = [
    ['whose header is longer than the file', changed((table) => table.writeUInt16LE(0xffff, 8)), /ends early/],
    ['with four billion records in its header', changed((table) => table.writeUInt32LE(0xffffffff, 4)), /ends early/],
    [
      'with columns of 255 bytes each',
      changed((table) => table.fill(255, 48, 49)),
      /columns are wider than its records/,
    ],
    [
      'with the name of a column twice',
      changed((table) => table.write('ROAD\0', 32, 'latin1')),
      /the column road more than once/,
    ],
  ]
  for (const [what, table, reason] of hostile)
    test(`${what} is refused`, async (t) => {
      const { pool } = await testDatabase(t)
      const columns = { number: 'TOWN', street: 'ROAD' }
      await assert.rejects(importText(pool, 'points', table, { state: 'NC', columns }), reason)
    })
})

test('the columns of every format are documented', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../../../docs/operate/street-data.md'), 'utf8')
  const section = page.slice(page.indexOf('## Columns'), page.indexOf('## What cannot be loaded'))
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const documented = new Map<string, string[]>()
  for (const line of section.split('\n').filter((each) => /^\| `(?!format`)/.test(each))) {
    const [, formats, columns] = line.split('|')
    for (const format of names(formats)) documented.set(format, names(columns))
  }
  const read = Object.entries(FORMATS).filter(([, { container }]) => container !== 'lines')
  assert.deepEqual(documented, new Map(read.map(([name, { columns }]) => [name, Object.keys(columns)])))
})
