import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { columnsOf, valueOf } from './columns.ts'
import { type Fields, linesAsCsv, readRecords } from './records.ts'

function recordsOf(t: TestContext, name: string, bytes: string | Buffer): Record<string, string>[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-records-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, name), bytes)
  return readRecords(path.join(folder, name)).map((fields) => Object.fromEntries(fields))
}

const two = [
  { number: '12', street: 'Main St, "Old"' },
  { number: '14 1/2', street: 'Élm' },
]

test('a table is read with any separator, quotes and line ends, plain or gzip', (t) => {
  const text = '\uFEFFNumber,Street\r\n12,"Main St, ""Old"""\r\n14 1/2, Élm \r\n'
  assert.deepEqual(recordsOf(t, 'a.csv', text), two)
  assert.deepEqual(recordsOf(t, 'a.txt.gz', gzipSync(text)), two)
  assert.deepEqual(recordsOf(t, 'b.txt', 'NUMBER|STREET\n12|"Main St, ""Old"""\n14 1/2|Élm'), two)
})

test('GeoJSON is read whole and by lines', (t) => {
  const features = two.map((properties) => ({ type: 'Feature', properties, geometry: null }))
  assert.deepEqual(recordsOf(t, 'a.geojson', JSON.stringify({ type: 'FeatureCollection', features })), two)
  assert.deepEqual(recordsOf(t, 'a.geojsonl', features.map((each) => JSON.stringify(each)).join('\n')), two)
})

test('dBase is read without its deleted records, plain and in a zip archive', (t) => {
  const table = dbf([
    ['12', 'Main St', ' '],
    ['13', 'Gone St', '*'],
  ])
  const one = [{ number: '12', street: 'Main St' }]
  assert.deepEqual(recordsOf(t, 'a.dbf', table), one)
  assert.deepEqual(recordsOf(t, 'a.zip', zip('edges.dbf', table)), one)
})

test('a line is a number, with its letter or fraction, and a street', (t) => {
  const lines = ['12 MAIN ST', '105 B HOBBS CRES', '105 B ST', '105 N HOBBS ST', '9 1/2 ELM ST', 'no number']
  const read = recordsOf(t, 'a.txt', lines.join('\n'))
  assert.deepEqual(
    read.map(({ number, street }) => `${number}|${street}`),
    ['12|MAIN ST', '105 B|HOBBS CRES', '105|B ST', '105|N HOBBS ST', '9 1/2|ELM ST'],
  )
  assert.equal(linesAsCsv([new Map(Object.entries(read[0] ?? {}))]), 'NUMBER,STREET\n"12","MAIN ST"')
})

test('a column description joins columns with or without a space, or takes the first nonempty one', () => {
  const fields: Fields = new Map(Object.entries({ pre: 'N88W', no: '16521', half: '1/2', a: '', b: 'Main', c: 'NULL' }))
  assert.equal(valueOf(fields, 'PRE++NO'), 'N88W16521')
  assert.equal(valueOf(fields, 'no++half'), '16521 1/2')
  assert.equal(valueOf(fields, 'a+B+c'), 'Main')
  assert.equal(valueOf(fields, 'a|c|b'), 'Main')
  assert.deepEqual(columnsOf('x', 'street=S,low_l=A,low_r=B,zip=Z'), [
    { street: 'S', zip: 'Z', low: 'A' },
    { street: 'S', zip: 'Z', low: 'B' },
  ])
  assert.throws(() => columnsOf('x', undefined), /--columns/)
  assert.throws(() => columnsOf('x', 'number=N'), /needs street/)
  assert.throws(() => columnsOf('x', 'house=N'), /must be one of street/)
})

/** A table of two columns. */
function dbf(rows: readonly (readonly [string, string, string])[]): Buffer {
  const columns: [string, number][] = [
    ['NUMBER', 6],
    ['STREET', 20],
  ]
  const header = Buffer.alloc(32 + 32 * columns.length + 1)
  header.writeUInt32LE(rows.length, 4)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt16LE(27, 10)
  columns.forEach(([name, length], i) => {
    header.write(name, 32 + 32 * i, 'latin1')
    header[32 + 32 * i + 16] = length
  })
  header[header.length - 1] = 0x0d
  const text = rows.map(([number, street, mark]) => mark + number.padEnd(6) + street.padEnd(20)).join('')
  return Buffer.concat([header, Buffer.from(text, 'latin1')])
}

/** An archive of one entry. */
function zip(name: string, bytes: Buffer): Buffer {
  const packed = deflateRawSync(bytes)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(crc32(bytes), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(bytes.length, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
  const rest = Buffer.alloc(14)
  const entry = Buffer.concat([Buffer.from('PK\x01\x02\0\0'), common, rest, Buffer.from(name)])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, entry, end])
}
