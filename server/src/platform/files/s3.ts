import { Readable } from 'node:stream'
import { checkRange, FileNotFound, type FileStore, type StagedFile, type StageOptions } from './file-store.ts'
import { S3Bucket, s3Limits, type S3Options } from './s3-bucket.ts'
import { requestError } from './s3-errors.ts'
import { readLimits, readObject } from './s3-read.ts'
import { openStaging, putStaged } from './staging.ts'

export const storeLimits = {
  ...s3Limits,
  ...readLimits,
  /**
   * A younger object is not deleted: another process may have uploaded it for a row that is not committed yet. A day exceeds any
   * difference between the clocks of the server and of this machine.
   */
  removal_age_ms: 24 * 3_600_000,
  /** `keep` uploads again what was uploaded before this time, so that it is not deleted before its row is committed. */
  renewal_ms: 3_600_000,
}

/**
 * Opens a store in a bucket. Unfinished files are in the local folder `temp`. Throws StartRefused if the bucket cannot be used,
 * DependencyUnavailable if it cannot be reached.
 */
export async function openS3Files(
  options: S3Options,
  temp: string,
  overrides: Partial<typeof storeLimits> = {},
): Promise<FileStore> {
  const limits = { ...storeLimits, ...overrides }
  const staging = await openStaging(temp)
  const bucket = await S3Bucket.open(options, limits)
  const stage = async (source: Readable, settings: StageOptions = {}): Promise<StagedFile> => {
    const draft = await staging.write(source, settings)
    const { digest, bytes, discard } = draft
    try {
      await bucket.put(draft, settings.signal)
    } catch (error) {
      await discard()
      throw error
    }
    let uploaded_at = performance.now()
    return {
      digest,
      bytes,
      async keep() {
        const isStored = async () => (await bucket.head(digest))?.bytes === bytes
        const is_recent = performance.now() - uploaded_at < limits.renewal_ms
        // it may have been deleted since: an equal, older object may have become unreferenced
        if (is_recent && (await isStored())) return
        await bucket.put(draft)
        uploaded_at = performance.now()
        if (!(await isStored())) throw requestError(new Error(`The uploaded file ${digest} does not have its size.`))
      },
      discard,
    }
  }
  return {
    stage,
    putStream: (source, settings) => putStaged(stage(source, settings)),
    async read(digest, range = {}) {
      checkRange(range)
      const { start = 0, end = null } = range
      const is_empty = end !== null && end <= start
      const stream = is_empty
        ? (await bucket.head(digest)) && Readable.from([])
        : await readObject((from, signal) => bucket.get(digest, from, end, signal), start, limits)
      if (stream === null) throw new FileNotFound(digest)
      return stream
    },
    stat: (digest) => bucket.head(digest),
    async remove(digest) {
      const found = await bucket.head(digest)
      if (found === null || Date.now() - found.written_at.getTime() < limits.removal_age_ms) return false
      await bucket.delete(digest)
      return true
    },
    list: () => bucket.list(),
    sweepTemp: staging.sweep,
    locate: (digest) => bucket.urlOf(digest),
  }
}
