import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlappingZip, zipOf } from './testing/zip.ts'
import { zipEntries, ZipError, type ZipSource } from './zip.ts'

const ARCHIVE = zipOf({ '../a.csv': 'number,street\n', 'folder/b.csv': '1,Main St\n' }, true)
const inMemory = (bytes: Buffer): ZipSource => ({
  bytes: bytes.length,
  read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
})
const failsWith = (reason: string) => (error: unknown) => error instanceof ZipError && error.reason === reason

test('an archive’s entries have their names as written, their sizes, and the position of their bytes', async () => {
  const entries = await zipEntries(inMemory(ARCHIVE), 1_000)
  const read = entries.map(async ({ name, packed_size, start }) => {
    const at = await start()
    return [name, ARCHIVE.toString('utf8', at, at + packed_size)]
  })
  assert.deepEqual(await Promise.all(read), [
    ['../a.csv', 'number,street\n'],
    ['folder/b.csv', '1,Main St\n'],
  ])
})

test('a directory is read up to a limit', async () => {
  await assert.rejects(zipEntries(inMemory(ARCHIVE), 100), failsWith('too large'))
})

test('an archive that is truncated, followed by other bytes, whose directory is beyond its end, or has fewer entries than declared, is refused', async () => {
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(ARCHIVE)
    change(bytes)
    return zipEntries(inMemory(bytes), 1_000)
  }
  await assert.rejects(zipEntries(inMemory(ARCHIVE.subarray(0, -1)), 1_000), failsWith('no complete archive'))
  await assert.rejects(
    zipEntries(inMemory(Buffer.concat([ARCHIVE, Buffer.from('\n')])), 1_000),
    failsWith('no complete archive'),
  )
  await assert.rejects(
    changed((bytes) => bytes.writeUInt32LE(0xffffffff, bytes.length - 6)),
    failsWith('ends early'),
  )
  await assert.rejects(
    changed((bytes) => bytes.writeUInt16LE(3, bytes.length - 12)),
    failsWith('ends early'),
  )
  await assert.rejects(
    changed((bytes) => bytes.writeUInt16LE(0, bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1'))),
    failsWith('damaged'),
  )
})

test('an archive with overlapping entries is refused', async () => {
  await assert.rejects(
    zipEntries(inMemory(overlappingZip('a.csv', 'x'.repeat(500), 3)), 1_000),
    failsWith('overlapping'),
  )
  const nested = Buffer.from(ARCHIVE)
  const entry = nested.indexOf('PK\x01\x02', 0, 'latin1')
  // the bytes of the first entry overlap the header of the second
  nested.writeUInt32LE(nested.readUInt32LE(entry + 20) + 20, entry + 20)
  await assert.rejects(zipEntries(inMemory(nested), 1_000), failsWith('overlapping'))
})

test('an error of the source is not reported as damage', async () => {
  const broken = { bytes: ARCHIVE.length, read: () => Promise.reject(new Error('read error')) }
  await assert.rejects(zipEntries(broken, 1_000), { name: 'Error', message: 'read error' })
})
