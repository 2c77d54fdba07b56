import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from '../platform/context.ts'
import { FileTooLarge, type StagedFile } from '../platform/files/index.ts'
import { invalid, problem, type Problem } from '../platform/problem.ts'
import type { NamedFile } from '../platform/rows.ts'

/** A request whose body is a file. */
export interface Upload {
  headers: IncomingHttpHeaders
  stream: Readable
}

export interface UploadLimit {
  bytes_max: number
  /** The problem for a larger file. */
  tooLarge: (cause?: unknown) => Problem
  /** Supported Content-Encodings. */
  encodings?: readonly string[]
}

/** Checks the headers of an upload before reading it. Throws 413, and 415 for an unsupported Content-Encoding. */
export function checkUpload({ headers }: Upload, { bytes_max, tooLarge, encodings = [] }: UploadLimit): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && !encodings.includes(encoding))
    throw problem(
      'unsupported-media-type',
      `Send the file without a Content-Encoding, not as ${encoding.slice(0, 100)}.`,
    )
  if (Number(headers['content-length'] ?? 0) > bytes_max) throw tooLarge()
}

/**
 * Receives the body as a staged file, which the caller must keep or discard. Throws the limit's problem as soon as the file
 * exceeds it, and 422 for an empty file.
 */
export async function stageUpload(
  { files }: Pick<Context, 'files'>,
  { stream }: Upload,
  { bytes_max, tooLarge }: Pick<UploadLimit, 'bytes_max' | 'tooLarge'>,
): Promise<StagedFile> {
  try {
    const file = await files.stage(Readable.from(withoutDestroying(stream)), { max_bytes: bytes_max })
    if (file.bytes > 0) return file
    await file.discard()
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(error)
    throw error
  }
  throw invalid({ file: ['Is empty.'] })
}

/** Reads a stream without destroying it when reading stops early, which would close the connection before the response. */
async function* withoutDestroying(stream: Readable): AsyncGenerator<Buffer> {
  for await (const piece of stream.iterator({ destroyOnReturn: false })) yield piece as Buffer
}

/** The uploaded file of a street dataset, whose size is not recorded. */
export const uploadFile = (sha256: string, dataset_id: number | string): NamedFile => ({
  sha256,
  bytes: null,
  account_id: null,
  used_by: `street dataset ${dataset_id}`,
})
