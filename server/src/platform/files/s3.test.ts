import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Options } from './s3-bucket.ts'
import { openS3Files, type storeLimits } from './s3.ts'
import { testContract } from './testing/contract.ts'
import { noSwift, startSwift } from './testing/swift.ts'
import { testS3Failures } from './testing/s3-failures.ts'
import { testS3Move } from './testing/s3-move.ts'
import { testS3Service } from './testing/s3-service.ts'

/** The store in S3 against a real server. One server for everything that is tested with S3, because it takes long to start. */

// a suite starts after all of its tests are registered, and its hook runs after all of them
describe('files in S3', { skip: noSwift }, async () => {
  const swift = await startSwift()
  const base = await mkdtemp(join(tmpdir(), 'demarc-s3-'))
  after(async () => {
    await swift.stop()
    await rm(base, { recursive: true })
  })
  // what the client's own chain of credentials reads
  process.env['AWS_ACCESS_KEY_ID'] = swift.access_key
  process.env['AWS_SECRET_ACCESS_KEY'] = swift.secret_key
  const admin = new S3Client({ region: 'us-east-1', endpoint: swift.endpoint, forcePathStyle: true })
  await admin.send(new CreateBucketCommand({ Bucket: 'files' }))
  let count = 0
  // files can be removed immediately; Swift rounds their times up to whole seconds
  const removal_age_ms = -2_000
  const settings = (): S3Options => ({
    bucket: 'files',
    endpoint: swift.endpoint,
    region: 'us-east-1',
    prefix: `test-${(count += 1)}/`,
    path_style: true,
    request_checksums: 'when_required',
    response_checksums: 'when_required',
  })
  const fresh = async (options = settings(), limits: Partial<typeof storeLimits> = {}) => {
    const temp = join(await mkdtemp(join(base, 'store-')), 'tmp')
    return { temp, files: await openS3Files(options, temp, { removal_age_ms, ...limits }) }
  }
  testContract('S3', fresh)
  await testS3Failures({ swift, admin, settings, fresh })
  testS3Move({ settings })
  await testS3Service({ admin, settings })
})
