import type { DemarcClient } from './demarc.ts'
import { verifiedBytes, type DownloadOptions, type FileSource } from './verified-bytes.ts'
import type { CdrExport } from './waiting.ts'

/** Downloads files and verifies the SHA-256 digest that the service states. */

/** A file being downloaded. */
export interface Download {
  /** The bytes. If they don't match the digest, the stream fails with ChecksumError after the last one. */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>
  /** A suggested file name: `demarc-cdrs-2.csv.gz`. */
  file_name: string
  sha256: string
  bytes: number
}

/** The export has no file: it is in progress, has failed, or its file has expired. `export` is its document. */
export class NoExportFileError extends Error {
  readonly export: CdrExport
  readonly remedy: string

  constructor(found: CdrExport) {
    const { status, failure_reason } = found.attributes
    const why = status === 'completed' ? 'its file has expired' : (failure_reason ?? `it is ${status}`)
    super(`Export ${found.id} has no file: ${why}.`)
    this.name = 'NoExportFileError'
    this.export = found
    this.remedy = status === 'processing' ? 'Wait for it with waitForExport.' : 'Request the export again.'
  }
}

/**
 * Downloads an export's file, in browsers and elsewhere. If the connection is lost, it resumes with a Range request. Throws
 * NoExportFileError and anything that `getCdrExport` throws. The stream fails with ChecksumError or ConnectionError.
 */
export async function downloadExport(
  client: Pick<DemarcClient, 'getCdrExport' | 'getCdrExportFile'>,
  export_id: string,
  options: DownloadOptions = {},
): Promise<Download> {
  const source = await exportSource(client, export_id, options)
  const pieces = verifiedBytes(source, options)
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await pieces.return()),
  })
  const { file_name, sha256, bytes } = source
  return { stream, file_name, sha256, bytes }
}

/** The file of an export, for `verifiedBytes`. Throws NoExportFileError and anything that `getCdrExport` throws. */
export async function exportSource(
  client: Pick<DemarcClient, 'getCdrExport' | 'getCdrExportFile'>,
  export_id: string,
  { signal }: DownloadOptions = {},
): Promise<FileSource & { file_name: string }> {
  const params = { export_id }
  const { data } = (await client.getCdrExport({ params }, signal ? { signal } : {})).body
  const { sha256, bytes, format, download_url } = data.attributes
  if (sha256 === null || bytes === null || download_url === null) throw new NoExportFileError(data)
  return {
    subject: `Export ${export_id}`,
    file_name: `demarc-cdrs-${export_id}.${extensions[format]}`,
    url: download_url.replace(/\?.*/, ''),
    sha256,
    bytes,
    async open(from, signal) {
      const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {}
      return (await client.getCdrExportFile({ params }, { signal, headers, retry: false })).body
    },
  }
}

const extensions = {
  csv: 'csv.gz',
  'csv.zst': 'csv.zst',
  ndjson: 'ndjson.gz',
  parquet: 'parquet',
} as const satisfies Record<CdrExport['attributes']['format'], string>
