import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { dbfOf } from '../testing/dbf.ts'
import { eachDbfRecord } from './dbf.ts'
import { eachCsvRecord, eachLine, type Get, type OnRecord } from './records.ts'

/** In chunks of a few bytes, so that values are split at every position. */
function pieces(content: string | Uint8Array, size: number): Readable {
  const bytes = Buffer.from(content)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
  return Readable.from(parts)
}

async function collect(read: (on_record: OnRecord) => Promise<void>, pick: (get: Get) => string): Promise<string[]> {
  const out: string[] = []
  await read((get) => {
    out.push(pick(get))
    return undefined
  })
  return out
}

for (const size of [1, 3, 7, 1_000]) {
  test(`CSV in pieces of ${size} bytes`, async () => {
    const content = '\ufeffA,Bé,c\r\n1,"x, ""y""\nz",3\r\n\r\nü,,\r\n4,5,6,7'
    const found = await collect(
      (on_record) => eachCsvRecord(pieces(content, size), on_record),
      (get) => `${get('a')}/${get('bé')}/${get('c')}/${get('d')}`,
    )
    assert.deepEqual(found, ['1/x, "y"\nz/3/', 'ü///', '4/5/6/'])
  })

  test(`a table in pieces of ${size} bytes`, async () => {
    const content = dbfOf([
      { name: 'Éléphant', zip: '27944' },
      { name: 'B', zip: '' },
    ])
    const found = await collect(
      (on_record) => eachDbfRecord(pieces(content, size), on_record),
      (get) => `${get('name')}/${get('zip')}/${get('nothing')}`,
    )
    assert.deepEqual(found, ['Éléphant/27944/', 'B//'])
  })

  test(`CSV and lines that end with a carriage return alone, in pieces of ${size} bytes`, async () => {
    const found = await collect(
      (on_record) => eachCsvRecord(pieces('A,B\r1,"x\r y"\r3,4\r', size), on_record),
      (get) => `${get('a')}/${get('b')}`,
    )
    assert.deepEqual(found, ['1/x\n y', '3/4'])
    const lines: string[] = []
    await eachLine(pieces('one\rtwo\r\rfour', size), (line) => {
      lines.push(line)
      return undefined
    })
    assert.deepEqual(lines, ['one', 'two', '', 'four'])
  })

  test(`lines in pieces of ${size} bytes`, async () => {
    const found: string[] = []
    await eachLine(pieces('één\r\ntwo\n\nfour', size), (line) => {
      found.push(line)
      return undefined
    })
    assert.deepEqual(found, ['één', 'two', '', 'four'])
  })
}

for (const delimiter of [',', ';', '\t', '|']) {
  test(`columns apart by ${JSON.stringify(delimiter)}`, async () => {
    const content = `a${delimiter}b\n1${delimiter}2\n`
    const found = await collect(
      (on_record) => eachCsvRecord(pieces(content, 50), on_record),
      (get) => `${get('a')}/${get('b')}`,
    )
    assert.deepEqual(found, ['1/2'])
  })
}

test('a truncated table is refused', async () => {
  const content = dbfOf([{ name: 'A' }, { name: 'B' }])
  await assert.rejects(
    eachDbfRecord(pieces(content.subarray(0, content.length - 3), 10), () => undefined),
    /ends early/,
  )
})

test('a table with more records than its header says is refused', async () => {
  const content = dbfOf([{ name: 'A' }, { name: 'B' }, { name: 'C' }])
  content.writeUInt32LE(1, 4)
  await assert.rejects(
    eachDbfRecord(pieces(content, 10), () => undefined),
    /more records than its header says/,
  )
})

test('a table in Latin-1, padded with NULs, is read', async () => {
  const content = dbfOf([{ name: 'Eleph' }])
  content.write('Ch\u00eane\0\0', content.length - 6, 'latin1')
  const found = await collect(
    (on_record) => eachDbfRecord(pieces(content, 1_000), on_record),
    (get) => get('name'),
  )
  assert.deepEqual(found, ['Ch\u00eane'])
})

test('an error of the source rejects the import', async () => {
  async function* broken() {
    yield Buffer.from('a,b\n1,2\n')
    throw new Error('the disk is gone')
  }
  await assert.rejects(
    eachCsvRecord(Readable.from(broken()), () => undefined),
    /the disk is gone/,
  )
})

test('a quote that is never closed is refused before the end of the file', async () => {
  await assert.rejects(eachCsvRecord(pieces(`a,b\n"${'x'.repeat(2 << 20)}`, 1 << 16), () => undefined))
})
