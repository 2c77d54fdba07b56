import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { isDigest, nameOf, type FileInfo, type StoredFile } from './file-store.ts'
import { FileStoreRefused, isMissing, isPastEnd, requestError, startRefusal } from './s3-errors.ts'

export interface S3Options {
  bucket: string
  /** Null for AWS. */
  endpoint: string | null
  region: string
  /** Empty, or ends with a slash. */
  prefix: string
  /** Whether the bucket's name is in the path of a URL instead of its host name. */
  path_style: boolean
  /** Whether the client adds checksums to requests, and compares those of responses, that an operation does not require. */
  request_checksums: 'when_supported' | 'when_required'
  response_checksums: 'when_supported' | 'when_required'
}

/** Which stores an installation has, and which of them new files go to. */
export interface FileSettings {
  store: 'local' | 's3'
  /** Null if all files are local. */
  s3: S3Options | null
}

export const s3Limits = {
  connect_ms: 3_000,
  /** Until the response begins. Three attempts take less than the 30 s that a transaction may wait. */
  response_ms: 8_000,
  /** The same for one part of a large file. */
  part_ms: 60_000,
  attempts: 3,
  /** A larger file is sent in parts of this size, or of more if there would be more than 10,000, the most that S3 accepts. */
  part_bytes: 8 * 1024 * 1024,
  parts: 10_000,
  /** The parts in memory, per file. */
  parts_at_once: 2,
}

type Limits = typeof s3Limits
type Sdk = typeof import('@aws-sdk/client-s3')

/** The object's bytes, or a part of them. */
export interface OpenedObject {
  body: Readable
  bytes: number
}

/**
 * The objects of a bucket. It uses only what S3-compatible servers agree on: no conditional writes, and one deletion per
 * request. Every method throws FileStoreRefused or DependencyUnavailable.
 */
export class S3Bucket {
  readonly #options: S3Options
  readonly #limits: Limits
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #quick: { requestTimeout: number }

  private constructor(options: S3Options, limits: Limits, sdk: Sdk) {
    this.#options = options
    this.#limits = limits
    this.#sdk = sdk
    this.#client = createClient(sdk, options, limits)
    this.#quick = { requestTimeout: limits.response_ms }
  }

  /** Throws StartRefused if the bucket cannot be used. */
  static async open(options: S3Options, limits: Limits): Promise<S3Bucket> {
    // the client takes 100 ms to load
    const bucket = new S3Bucket(options, limits, await import('@aws-sdk/client-s3'))
    try {
      await bucket.#page(undefined, 1)
    } catch (error) {
      throw error instanceof FileStoreRefused ? startRefusal(error, options) : error
    }
    return bucket
  }

  urlOf = (digest: string): string => `s3://${this.#options.bucket}/${this.#keyOf(digest)}`

  /** Null if there is no such object. */
  async head(digest: string): Promise<FileInfo | null> {
    const command = new this.#sdk.HeadObjectCommand(this.#object(digest))
    const found = await this.#unlessMissing(() => this.#client.send(command, this.#quick))
    return found && { bytes: found.ContentLength ?? 0, written_at: found.LastModified ?? new Date() }
  }

  /** Opens an object, from `start` (inclusive) to `end` (exclusive, null for its end). Null if there is no such object. */
  async get(digest: string, start: number, end: number | null, signal: AbortSignal): Promise<OpenedObject | null> {
    const range = start === 0 && end === null ? {} : { Range: `bytes=${start}-${end === null ? '' : end - 1}` }
    const command = new this.#sdk.GetObjectCommand({ ...this.#object(digest), ...range })
    try {
      const found = await this.#unlessMissing(() => this.#client.send(command, { ...this.#quick, abortSignal: signal }))
      return found && { body: readableOf(found.Body), bytes: found.ContentLength ?? 0 }
    } catch (error) {
      if (error instanceof FileStoreRefused && isPastEnd(error.cause)) return { body: Readable.from([]), bytes: 0 }
      throw error
    }
  }

  /** Uploads a local file, replacing an equal object. Throws the signal's reason when aborted. */
  async put(file: StoredFile & { path: string }, signal?: AbortSignal): Promise<void> {
    try {
      await (file.bytes <= this.#limits.part_bytes ? this.#putWhole(file) : this.#putParts(file, signal))
    } catch (error) {
      signal?.throwIfAborted()
      throw requestError(error)
    }
  }

  async delete(digest: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#object(digest))
    await reached(() => this.#client.send(command, this.#quick))
  }

  /** All objects that are named like files. */
  async *list(): AsyncGenerator<StoredFile & FileInfo> {
    let after: string | undefined
    do {
      const page = await this.#page(after, 1000)
      for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        const digest = Key.slice(Key.lastIndexOf('/') + 1)
        if (isDigest(digest) && Key === this.#keyOf(digest)) yield { digest, bytes: Size, written_at: LastModified }
      }
      after = page.NextContinuationToken
    } while (after !== undefined)
  }

  #keyOf = (digest: string) => this.#options.prefix + nameOf(digest)
  #object = (digest: string) => ({ Bucket: this.#options.bucket, Key: this.#keyOf(digest) })

  #page(after: string | undefined, MaxKeys: number) {
    const { bucket, prefix } = this.#options
    const command = new this.#sdk.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      MaxKeys,
      ...(after !== undefined && { ContinuationToken: after }),
    })
    return reached(() => this.#client.send(command, this.#quick))
  }

  async #putWhole({ digest, path }: StoredFile & { path: string }): Promise<void> {
    const command = new this.#sdk.PutObjectCommand({ ...this.#object(digest), Body: await readFile(path) })
    await this.#client.send(command, this.#quick)
  }

  async #putParts({ digest, path, bytes }: StoredFile & { path: string }, signal?: AbortSignal): Promise<void> {
    const { Upload } = await import('@aws-sdk/lib-storage')
    const { part_bytes, parts, parts_at_once } = this.#limits
    const partSize = Math.max(part_bytes, Math.ceil(bytes / parts))
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#object(digest), Body: createReadStream(path) },
      partSize,
      queueSize: parts_at_once,
    })
    const abort = () => void upload.abort()
    signal?.addEventListener('abort', abort)
    try {
      await upload.done()
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** A bucket that is missing is an error: the response to a HEAD request does not say whether it is the bucket or the object. */
  async #unlessMissing<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request()
    } catch (error) {
      if (!isMissing(error)) throw requestError(error)
    }
    await reached(() =>
      this.#client.send(new this.#sdk.HeadBucketCommand({ Bucket: this.#options.bucket }), this.#quick),
    )
    return null
  }
}

async function reached<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw requestError(error)
  }
}

export const createClient = (sdk: Sdk, options: S3Options, limits: Limits): S3Client =>
  new sdk.S3Client({
    region: options.region,
    ...(options.endpoint !== null && { endpoint: options.endpoint }),
    forcePathStyle: options.path_style,
    requestChecksumCalculation: checksums[options.request_checksums],
    responseChecksumValidation: checksums[options.response_checksums],
    maxAttempts: limits.attempts,
    requestHandler: {
      connectionTimeout: limits.connect_ms,
      requestTimeout: limits.part_ms,
      throwOnRequestTimeout: true,
      // an idle limit would end downloads to slow clients: s3-read.ts limits only waiting for the store
      socketTimeout: 0,
    },
  })

const checksums = { when_supported: 'WHEN_SUPPORTED', when_required: 'WHEN_REQUIRED' } as const

/** In Node, the client's response bodies are Node streams; its type also covers browsers. */
export function readableOf(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new TypeError('The S3 client returned no stream.')
}
