/**
 * Stores a file of the given number of bytes in a real S3 server, reads all of it and a part of it back, and prints what that
 * took as one line of JSON. Exits with an error if a byte differs. For `npm run drill -- files`.
 */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { CreateBucketCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { openS3Files } from '../s3.ts'
import { startSwift } from './swift.ts'

const block_bytes = 1024 * 1024
const bytes = Number(process.argv[2])

/** Blocks that all differ, so that parts in a wrong order would be noticed. */
function* content(): Generator<Buffer> {
  for (let at = 0; at < bytes; at += block_bytes) {
    const block = Buffer.alloc(Math.min(block_bytes, bytes - at), at % 251)
    block.write(`block ${at} `)
    yield block
  }
}

async function digestOf(source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk)
  return hash.digest('hex')
}

async function seconds<T>(work: () => Promise<T>): Promise<{ result: T; took_s: number }> {
  const began = performance.now()
  const result = await work()
  return { result, took_s: (performance.now() - began) / 1000 }
}

const swift = await startSwift()
const folder = await mkdtemp(path.join(tmpdir(), 'demarc-large-file-'))
try {
  process.env['AWS_ACCESS_KEY_ID'] = swift.access_key
  process.env['AWS_SECRET_ACCESS_KEY'] = swift.secret_key
  const server = { endpoint: swift.endpoint, region: 'us-east-1' }
  const client = new S3Client({ ...server, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: 'files' }))
  const checksums = { request_checksums: 'when_required', response_checksums: 'when_required' } as const
  const files = await openS3Files({ ...server, ...checksums, bucket: 'files', prefix: '', path_style: true }, folder)
  const stored = await seconds(() => files.putStream(Readable.from(content())))
  const { digest } = stored.result
  assert.equal(digest, await digestOf(content()))
  assert.equal((await files.stat(digest))?.bytes, bytes)
  const read = await seconds(async () => digestOf(await files.read(digest)))
  assert.equal(read.result, digest)
  // a range that crosses the border of two parts
  const range = { start: Math.floor(bytes / 2), end: Math.floor(bytes / 2) + 20 * block_bytes }
  const part = Buffer.concat(await (await files.read(digest, range)).toArray())
  const first = range.start - (range.start % block_bytes)
  const label = `block ${first + block_bytes} `
  assert.equal(part.subarray(first + block_bytes - range.start).toString('latin1', 0, label.length), label)
  const head = await client.send(new HeadObjectCommand({ Bucket: 'files', Key: keyOf(files.locate(digest)) }))
  // of a multipart upload it ends with the number of parts: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html
  const parts = Number(/-(\d+)"$/.exec(head.ETag ?? '')?.[1] ?? 1)
  const memory_mib = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(JSON.stringify({ bytes, parts, store_s: stored.took_s, read_s: read.took_s, memory_mib }))
} finally {
  await swift.stop()
  await rm(folder, { recursive: true })
}

function keyOf(url: string): string {
  return url.slice(url.indexOf('/files/') + '/files/'.length)
}
