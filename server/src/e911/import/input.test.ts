import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { withFile } from '../testing.ts'
import { openInput } from './input.ts'
import { zipOf } from './zip-for-tests.ts'

const CONTENT = 'number,street\n12,Main St\n'.repeat(5_000)

async function read(
  bytes: string | Uint8Array,
  extensions = ['.csv'],
  name = 'data.csv',
): Promise<{ content: string; name: string }> {
  return withFile(
    bytes,
    async (file) => {
      const input = await openInput(file, extensions)
      return { content: await text(input.bytes), name: input.name }
    },
    name,
  )
}

test('a plain file is read as it is', async () => assert.equal((await read(CONTENT)).content, CONTENT))

test('a gzip file is unpacked, whatever its name', async () => {
  const found = await read(gzipSync(CONTENT), ['.csv'], 'data.csv.gz')
  assert.equal(found.content, CONTENT)
  assert.equal(found.name, 'data.csv')
  assert.equal((await read(gzipSync(CONTENT), ['.csv'], 'upload')).content, CONTENT)
})

for (const stored of [false, true]) {
  test(`of a zip archive the right file is taken${stored ? ', packed or not' : ''}`, async () => {
    const archive = zipOf({ 'readme.txt': 'no', 'folder/Addresses.CSV': CONTENT, 'other.csv': 'no' }, stored)
    const found = await read(archive)
    assert.equal(found.content, CONTENT)
    assert.equal(found.name, 'Addresses.CSV')
  })
}

test('an archive without such a file is refused', async () => {
  await assert.rejects(read(zipOf({ 'readme.txt': 'no' })), /no file ending in .csv/)
})

test('an archive that ends early is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT })
  await assert.rejects(read(archive.subarray(0, archive.length - 30)), /no complete zip archive/)
})

test('an archive of which a byte was changed is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT }, true)
  archive[5_000] = (archive[5_000] ?? 0) ^ 1
  await assert.rejects(read(archive), /damaged/)
})

test('an archive of which a packed byte was changed is refused', async () => {
  const archive = zipOf({ 'a.csv': CONTENT })
  archive[60] = (archive[60] ?? 0) ^ 0xff
  await assert.rejects(read(archive))
})

test('a gzip file that ends early is refused', async () => {
  const packed = gzipSync(CONTENT)
  await assert.rejects(read(packed.subarray(0, packed.length - 12)))
})

const bombs: [string, Uint8Array][] = [
  ['gzip file', gzipSync(Buffer.alloc(3_000_000, 'x'))],
  ['archive', zipOf({ 'a.csv': Buffer.alloc(3_000_000, 'x') })],
]
for (const [what, bytes] of bombs) {
  const limits = { unpacked_bytes_max: 4_000_000, unpacked_per_packed_max: 100, unpacked_unjudged_bytes: 1_000_000 }
  const unpack = (over: Partial<typeof limits>) =>
    withFile(bytes, async (file) => text((await openInput(file, ['.csv'], { ...limits, ...over })).bytes))

  test(`a ${what} that unpacks to many times its size is refused, and one of any size may be small`, async () => {
    await assert.rejects(unpack({}), /more than 100 times its size.*Send it unpacked/)
    assert.equal((await unpack({ unpacked_unjudged_bytes: 4_000_000 })).length, 3_000_000)
  })

  test(`a ${what} that unpacks to more than there may be is refused`, async () => {
    await assert.rejects(
      unpack({ unpacked_bytes_max: 2_000_000, unpacked_per_packed_max: 1e6 }),
      /more than 2000000 bytes/,
    )
  })
}

test('an empty file and one that is not there are refused', async () => {
  await assert.rejects(read(''), /is empty/)
  await assert.rejects(openInput('/nowhere/at-all.csv', ['.csv']), /There is no file \/nowhere/)
  await assert.rejects(openInput('/', ['.csv']), /is not a file/)
})
