import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { CreateBucketCommand, DeleteBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { StartRefused } from '../../start-refused.ts'
import { loadFactor } from '../../patience.ts'
import { DependencyUnavailable, retryableProblem } from '../../unavailable.ts'
import { openStores, probeBucket } from '../index.ts'
import type { S3Options } from '../s3-bucket.ts'
import type { storeLimits } from '../s3.ts'
import type { FreshStore } from './contract.ts'
import { startFailingProxy, type FailingProxy } from './failing-proxy.ts'
import type { Swift } from './swift.ts'

export interface S3Fixture {
  swift: Swift
  admin: S3Client
  settings: () => S3Options
  fresh: (options?: S3Options, limits?: Partial<typeof storeLimits>) => Promise<FreshStore>
}

/** Only a hang takes this long. */
const hang_ms = 120_000
const limits = {
  attempts: 2,
  response_ms: hang_ms,
  part_ms: hang_ms,
  idle_ms: hang_ms,
  pause_ms: 10,
  part_bytes: 5 * 1024 * 1024,
}
/** For tests of a store that is silent, which wait for these limits. */
const shortLimits = () => ({ ...limits, response_ms: 1500 * loadFactor(), idle_ms: 1000 * loadFactor() })
const large = randomBytes(20 * 1024 * 1024)
const largeStream = () => Readable.from([large.subarray(0, 7_000_000), large.subarray(7_000_000)])
const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

const isUnavailable = (error: unknown) => {
  assert.ok(error instanceof DependencyUnavailable, String(error))
  assert.equal(retryableProblem(error)?.type, 'not-ready')
  return true
}

/** A store whose requests pass a proxy that can fail; `impatient` opens it again with short limits. */
type BehindProxy = () => Promise<FreshStore & { impatient: () => Promise<FreshStore['files']> }>

/** What S3 does besides the contract of a store, and what happens when the server or the connection to it fails. */
export async function testS3Failures(fixture: S3Fixture): Promise<void> {
  const proxy = await startFailingProxy(fixture.swift.endpoint)
  after(() => proxy.close())
  const behindProxy = async () => {
    proxy.set({ type: 'none' })
    const options = { ...fixture.settings(), endpoint: proxy.url }
    const impatient = async () => (await fixture.fresh(options, shortLimits())).files
    return { ...(await fixture.fresh(options, limits)), impatient }
  }
  testTransfers(fixture, proxy, behindProxy)
  testErrors(proxy, behindProxy)
  testFallback(fixture, proxy)
  testBucket(fixture, proxy)
}

function testTransfers({ swift, settings, fresh }: S3Fixture, proxy: FailingProxy, behindProxy: BehindProxy): void {
  test('S3: a file in several parts is stored and read in ranges', async () => {
    const { files } = await fresh(settings(), limits)
    const { digest, bytes } = await files.putStream(largeStream())
    assert.deepEqual([digest, bytes], [digestOf(large), large.length])
    const range = { start: limits.part_bytes - 5, end: limits.part_bytes + 5 }
    assert.deepEqual(await buffer(await files.read(digest, range)), large.subarray(range.start, range.end))
  })

  test('S3: a download continues where its connection was lost', async () => {
    const { files } = await behindProxy()
    const { digest } = await files.putStream(largeStream())
    proxy.set({ type: 'cut', after_bytes: 6_000_000 })
    assert.equal(digestOf(await buffer(await files.read(digest))), digest)
  })

  test('S3: a server that is killed ends an upload and a download with 503, and both work when it is back', async () => {
    const { files, temp } = await behindProxy()
    const { digest } = await files.putStream(largeStream())
    // otherwise all of it may be in the buffers of the system when the server is killed
    proxy.set({ type: 'withhold', after_bytes: 6_000_000 })
    const download = await files.read(digest)
    await new Promise((resolve) => download.once('readable', resolve))
    const source = Readable.from([large.subarray(0, 19_000_000), randomBytes(1_000_000)])
    proxy.requests.length = 0
    const upload = files.putStream(source)
    upload.catch(() => undefined)
    while (!proxy.requests.some((line) => line.includes('partNumber='))) await new Promise(setImmediate)
    await swift.kill()
    try {
      await assert.rejects(buffer(download), isUnavailable)
      await assert.rejects(upload, isUnavailable)
      assert.deepEqual(await readdir(temp), [])
    } finally {
      proxy.set({ type: 'none' })
      await swift.restart()
    }
    assert.equal((await files.putStream(largeStream())).digest, digest)
    assert.equal(digestOf(await buffer(await files.read(digest))), digest)
  })

  test('S3: a stream that stalls ends', async () => {
    const { files, impatient: open } = await behindProxy()
    const impatient = await open()
    const { digest } = await files.putStream(largeStream())
    proxy.set({ type: 'withhold', after_bytes: 6_000_000 })
    const download = await impatient.read(digest)
    await new Promise((resolve) => download.once('readable', resolve))
    proxy.set({ type: 'silent' })
    await assert.rejects(buffer(download), isUnavailable)
  })
}

function testErrors(proxy: FailingProxy, behindProxy: BehindProxy): void {
  test('S3: an error of the store is 503, and a single one is not noticed', async () => {
    const { files, impatient: open } = await behindProxy()
    const impatient = await open()
    const { digest } = await files.putStream(Readable.from(['here']))
    const failures = [
      { type: 'respond', status: 503, code: 'SlowDown' },
      { type: 'respond', status: 500, code: 'InternalError' },
      { type: 'respond', status: 400, code: 'ExpiredToken' },
      { type: 'respond', status: 403, code: 'SignatureDoesNotMatch' },
      { type: 'silent' },
      { type: 'cut', after_bytes: 0 },
    ] as const
    for (const failure of failures) {
      proxy.set(failure)
      const requests = [
        impatient.stat(digest),
        impatient.read(digest),
        impatient.remove(digest),
        impatient.putStream(Readable.from(['there'])),
        Array.fromAsync(impatient.list()),
      ]
      await Promise.all(requests.map((request) => assert.rejects(request, isUnavailable)))
    }
    proxy.set({ type: 'respond', status: 503, code: 'SlowDown' })
    const reading = files.read(digest)
    proxy.set({ type: 'none' })
    assert.equal(await text(await reading), 'here')
  })
}

function testFallback({ settings }: S3Fixture, proxy: FailingProxy): void {
  test('S3: files of the folder are still read while the bucket cannot be reached', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'demarc-fallback-'))
    t.after(() => rm(folder, { recursive: true }))
    proxy.set({ type: 'none' })
    const s3 = { ...settings(), endpoint: proxy.url }
    const { local, files } = await openStores(folder, { store: 's3', s3 }, limits)
    const { digest } = await local.putStream(Readable.from(['old']))
    proxy.set({ type: 'respond', status: 503, code: 'ServiceUnavailable' })
    assert.equal(await text(await files.read(digest)), 'old')
    assert.equal((await files.stat(digest))?.bytes, 3)
    await assert.rejects(files.stat('ab'.repeat(32)), isUnavailable)
    await assert.rejects(files.remove(digest), isUnavailable)
    proxy.set({ type: 'none' })
    assert.equal(await files.stat('ab'.repeat(32)), null)
  })
}

function testBucket({ swift, admin, settings, fresh }: S3Fixture, proxy: FailingProxy): void {
  test('S3: a store that cannot be used is refused at the start, with what to do', async () => {
    const refused = (options: Partial<S3Options>, message: RegExp) =>
      assert.rejects(fresh({ ...settings(), ...options }), (error) => {
        assert.ok(error instanceof StartRefused, String(error))
        assert.match(error.message, message)
        return true
      })
    await refused(
      { bucket: 'no-such-bucket' },
      /The bucket no-such-bucket \(S3_BUCKET\) does not exist at http.*Create it/,
    )
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong'
    await refused({}, /refused access to the bucket files.*SignatureDoesNotMatch.*Check AWS_ACCESS_KEY_ID/)
    process.env['AWS_SECRET_ACCESS_KEY'] = swift.secret_key
  })

  test('S3: a probe of the bucket leaves nothing, reads the clock, and names the request that fails', async () => {
    const probe = (options: Partial<S3Options> = {}) =>
      probeBucket({ ...settings(), ...options }, AbortSignal.timeout(60_000))
    const { failed, aborts_uploads, clock } = await probe({ prefix: 'probed/' })
    assert.deepEqual([failed, aborts_uploads === true], [null, false])
    assert.ok(clock !== null && Math.abs(clock.theirs - clock.sent) < 60_000)
    const { Contents = [] } = await admin.send(new ListObjectsV2Command({ Bucket: 'files', Prefix: 'probed/' }))
    assert.deepEqual(Contents, [])
    assert.deepEqual((await probe({ bucket: 'no-such-bucket' })).failed, { step: 'put', code: 'NoSuchBucket' })
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong'
    assert.deepEqual((await probe()).failed, { step: 'put', code: 'SignatureDoesNotMatch' })
    process.env['AWS_SECRET_ACCESS_KEY'] = swift.secret_key
  })

  test('S3: a bucket that disappears does not make its files missing', async () => {
    const options = { ...settings(), bucket: 'short-lived' }
    await admin.send(new CreateBucketCommand({ Bucket: options.bucket }))
    const { files } = await fresh(options, limits)
    await admin.send(new DeleteBucketCommand({ Bucket: options.bucket }))
    const digest = 'ab'.repeat(32)
    await assert.rejects(files.stat(digest), isUnavailable)
    await assert.rejects(files.read(digest), isUnavailable)
  })

  test('S3: an object younger than a day is not removed, and storing equal bytes renews it', async () => {
    const { files } = await fresh({ ...settings(), endpoint: proxy.url }, { removal_age_ms: 24 * 3_600_000 })
    proxy.set({ type: 'none' })
    proxy.requests.length = 0
    const { digest } = await files.putStream(Readable.from(['young']))
    assert.equal(await files.remove(digest), false)
    assert.equal((await files.putStream(Readable.from(['young']))).digest, digest)
    assert.equal(await text(await files.read(digest)), 'young')
    assert.equal(proxy.requests.filter((line) => line.startsWith('PUT')).length, 2)
  })
}
