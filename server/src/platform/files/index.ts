import { join } from 'node:path'
import type { FileStore } from './file-store.ts'
import { openLocalFiles } from './local.ts'
import type { FileSettings } from './s3-bucket.ts'
import { openS3Files, storeLimits } from './s3.ts'
import { withFallback } from './fallback.ts'

export {
  FileNotFound,
  FileTooLarge,
  type FileInfo,
  type FileStore,
  type StagedFile,
  type StoredFile,
} from './file-store.ts'
export type { FileSettings, S3Options } from './s3-bucket.ts'
export { checkBucketRecord, openJournal, type MoveJournal, type Moved } from './move-journal.ts'
export { moveFiles } from './move.ts'
export { probeBucket, type ProbedBucket } from './s3-probe.ts'

/** The stores of an installation, with unfinished files below `folder`. Throws StartRefused if the bucket cannot be used. */
export async function openStores(
  folder: string,
  { store, s3 }: FileSettings,
  limits: Partial<typeof storeLimits> = {},
): Promise<{ local: FileStore; s3: FileStore | null; files: FileStore }> {
  const local = await openLocalFiles(folder)
  if (s3 === null) return { local, s3: null, files: local }
  const remote = await openS3Files(s3, join(folder, 'tmp'), limits)
  const files = store === 's3' ? withFallback(remote, local) : withFallback(local, remote)
  return { local, s3: remote, files }
}
