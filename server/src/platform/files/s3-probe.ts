import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createClient, readableOf, s3Limits, type S3Options } from './s3-bucket.ts'
import { statusOf } from './s3-errors.ts'

/** Tries what the file store does with a bucket, with an object that it removes again. */

type ProbeStep = 'put' | 'get' | 'list' | 'delete'

export interface ProbedBucket {
  /** The first request that failed, with the error's code. */
  failed: { step: ProbeStep; code: string } | null
  /** Whether a lifecycle rule aborts incomplete uploads; `unknown` if the server does not say. */
  aborts_uploads: boolean | 'unknown'
  /** The server's time, with when the request was sent and the response arrived. */
  clock: { theirs: number; sent: number; arrived: number } | null
}

/** Throws only for programming errors and the signal's reason. */
export async function probeBucket(options: S3Options, signal: AbortSignal): Promise<ProbedBucket> {
  const sdk = await import('@aws-sdk/client-s3')
  const client = createClient(sdk, options, { ...s3Limits, attempts: 1 })
  // no digest, so nothing takes it for a file
  const object = { Bucket: options.bucket, Key: `${options.prefix}probe/${randomUUID()}` }
  const send = { abortSignal: signal }
  let clock: ProbedBucket['clock'] = null
  client.middlewareStack.add(
    (next) => async (args) => {
      const sent = Date.now()
      const result = await next(args)
      const theirs = dateOf(result.response)
      if (theirs !== null) clock ??= { theirs, sent, arrived: Date.now() }
      return result
    },
    { step: 'deserialize', priority: 'low' },
  )
  const steps: readonly (readonly [ProbeStep, () => Promise<unknown>])[] = [
    ['put', () => client.send(new sdk.PutObjectCommand({ ...object, Body: 'probe' }), send)],
    ['get', async () => buffer(readableOf((await client.send(new sdk.GetObjectCommand(object), send)).Body))],
    [
      'list',
      () => client.send(new sdk.ListObjectsV2Command({ Bucket: options.bucket, Prefix: object.Key, MaxKeys: 1 }), send),
    ],
    ['delete', () => client.send(new sdk.DeleteObjectCommand(object), send)],
  ]
  try {
    let failed: ProbedBucket['failed'] = null
    for (const [step, request] of steps) {
      const code = await codeUnless(request, signal)
      if (code !== null) failed ??= { step, code }
      // without the object, the others have nothing to try
      if (step === 'put' && failed) break
    }
    const command = new sdk.GetBucketLifecycleConfigurationCommand({ Bucket: options.bucket })
    const aborts_uploads = failed ? 'unknown' : await abortsUploads(() => client.send(command, send), signal)
    return { failed, aborts_uploads, clock }
  } finally {
    client.destroy()
  }
}

interface Rule {
  Status?: string | undefined
  AbortIncompleteMultipartUpload?: unknown
}

async function abortsUploads(
  read: () => Promise<{ Rules?: Rule[] | undefined }>,
  signal: AbortSignal,
): Promise<boolean | 'unknown'> {
  try {
    const { Rules = [] } = await read()
    return Rules.some((rule) => rule.Status === 'Enabled' && rule.AbortIncompleteMultipartUpload !== undefined)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Error && error.name === 'NoSuchLifecycleConfiguration') return false
    // the key may not read the rules, or the server has none
    if (statusOf(error) !== undefined) return 'unknown'
    throw error
  }
}

/** The error's code; null if the request succeeds. */
async function codeUnless(request: () => Promise<unknown>, signal: AbortSignal): Promise<string | null> {
  try {
    await request()
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    return 'code' in error && typeof error.code === 'string' ? error.code : error.name
  }
}

function dateOf(response: unknown): number | null {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return null
  const { headers } = response
  const date =
    typeof headers === 'object' && headers !== null && 'date' in headers ? Date.parse(String(headers.date)) : NaN
  return Number.isNaN(date) ? null : date
}
