import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { withFile } from '../testing/import.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import { openInputs, type FileSelection } from './input.ts'
import { openTable } from './table.ts'
import { zipOf } from '../../../platform/testing/zip.ts'

const CONTENT = 'number,street\n12,Main St\n'.repeat(5_000)

/** The name and content of each file inside. */
async function readAll(
  bytes: string | Uint8Array,
  wanted: FileSelection,
  name = 'data.csv',
): Promise<[string, string][]> {
  return withFile(
    bytes,
    async (file) => {
      const found: [string, string][] = []
      for (const input of await openInputs(file, wanted)) found.push([input.name, await text(input.bytes)])
      return found
    },
    name,
  )
}

async function read(
  bytes: string | Uint8Array,
  extensions = ['.csv'],
  name = 'data.csv',
): Promise<{ content: string; name: string }> {
  const [[inside, content] = ['', ''], ...others] = await readAll(bytes, { extensions }, name)
  assert.deepEqual(others, [])
  return { content, name: inside }
}

test('a plain file is read unchanged', async () => assert.equal((await read(CONTENT)).content, CONTENT))

test('a gzip file is unpacked, whatever its name', async () => {
  const found = await read(gzipSync(CONTENT), ['.csv'], 'data.csv.gz')
  assert.equal(found.content, CONTENT)
  assert.equal(found.name, 'data.csv')
  assert.equal((await read(gzipSync(CONTENT), ['.csv'], 'upload')).content, CONTENT)
})

for (const stored of [false, true]) {
  test(`the right file of a zip archive is read${stored ? ', packed or not' : ''}`, async () => {
    const archive = zipOf({ 'readme.txt': 'no', 'folder/Addresses.CSV': CONTENT, 'other.txt': 'no' }, stored)
    const found = await read(archive)
    assert.equal(found.content, CONTENT)
    assert.equal(found.name, 'Addresses.CSV')
  })
}

test('data in several files is read file by file, without metadata files', async () => {
  const beside = { 'README.csv': 'no', '__MACOSX/a.csv': 'no', 'x/._b.csv': 'no', 'summary/a.csv': 'no', 'c.txt': 'no' }
  const archive = zipOf({ ...beside, 'x/a.csv': '1', 'b.CSV': '2' })
  assert.deepEqual(await readAll(archive, { extensions: ['.csv', '.txt'] }), [
    ['a.csv', '1'],
    ['b.CSV', '2'],
  ])
})

test('if a format has a file name pattern, matching files are read, or all if none matches', async () => {
  const wanted = { extensions: ['.csv'], files: /^address/i }
  const archive = zipOf({ 'Locations/Location_10.csv': 'no', 'Addresses/Address_10.csv': '1', 'Address_11.csv': '2' })
  assert.deepEqual(
    (await readAll(archive, wanted)).map(([name]) => name),
    ['Address_10.csv', 'Address_11.csv'],
  )
  assert.deepEqual(await readAll(zipOf({ 'manitoba.csv': '1' }), wanted), [['manitoba.csv', '1']])
})

test('the fraction read covers all files together', async () => {
  await withFile(zipOf({ 'a.csv': 'x'.repeat(300), 'b.csv': 'y'.repeat(100) }), async (file) => {
    const [a, b] = await openInputs(file, { extensions: ['.csv'] })
    assert.ok(a && b)
    const shares = [b.fractionRead()]
    for (const input of [a, b]) {
      await text(input.bytes)
      shares.push(input.fractionRead())
    }
    assert.deepEqual(shares, [0, 0.75, 1])
  })
})

test('an archive without such a file is refused', async () => {
  await assert.rejects(read(zipOf({ 'readme.txt': 'no' })), /no file ending in .csv/)
})

test('a truncated archive is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT })
  await assert.rejects(read(archive.subarray(0, archive.length - 30)), /not a complete zip archive/)
})

test('an archive with a changed byte is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT }, true)
  archive[5_000] = (archive[5_000] ?? 0) ^ 1
  await assert.rejects(read(archive), /damaged/)
})

test('an archive with a changed packed byte is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT })
  archive[60] = (archive[60] ?? 0) ^ 0xff
  await assert.rejects(read(archive))
})

test('a truncated gzip file is refused', async () => {
  const packed = gzipSync(CONTENT)
  await assert.rejects(read(packed.subarray(0, packed.length - 12)))
})

const bombs: [string, Uint8Array][] = [
  ['gzip file', gzipSync(Buffer.alloc(3_000_000, 'x'))],
  ['archive', zipOf({ 'a.csv': Buffer.alloc(3_000_000, 'x') })],
]
for (const [what, bytes] of bombs) {
  const limits = { unpacked_bytes_max: 4_000_000, unpacked_ratio_max: 100, ratio_checked_from_bytes: 1_000_000 }
  const unpack = (over: Partial<typeof limits>) =>
    withFile(bytes, async (file) => {
      const [input] = await openInputs(file, { extensions: ['.csv'] }, { ...limits, ...over })
      return text(input?.bytes ?? assert.fail())
    })

  test(`a ${what} that unpacks to many times its size is refused, unless it is small`, async () => {
    await assert.rejects(unpack({}), /more than 100 times its size.*Send it unpacked/)
    assert.equal((await unpack({ ratio_checked_from_bytes: 4_000_000 })).length, 3_000_000)
  })

  test(`a ${what} that unpacks to more than the limit is refused`, async () => {
    await assert.rejects(unpack({ unpacked_bytes_max: 2_000_000, unpacked_ratio_max: 1e6 }), /more than 2000000 bytes/)
  })
}

test('an empty file and one that does not exist are refused', async () => {
  await assert.rejects(read(''), /is empty/)
  await assert.rejects(openInputs('/nowhere/at-all.csv', { extensions: ['.csv'] }), /There is no file \/nowhere/)
  await assert.rejects(openInputs('/', { extensions: ['.csv'] }), /is not a file/)
})

test('a file that is refused by its first bytes is closed', async () => {
  const read = async (first: string) => {
    let is_open = true
    async function* file() {
      try {
        yield Buffer.from(first)
        yield Buffer.from('more')
      } finally {
        is_open = false
      }
    }
    const reading = openTable({ name: 'streets', bytes: file() }).then(({ bytes, read }) =>
      read(bytes, () => undefined),
    )
    await assert.rejects(reading, FileRefused)
    return is_open
  }
  assert.equal(await read('SQLite format 3\0'.padEnd(200)), false)
  assert.equal(await read(`[{"a" 1}${' '.repeat(2_000_000)}`), false)
})
