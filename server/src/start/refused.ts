import { isStorageFull } from '../platform/storage-full.ts'

/** The service cannot start for a reason that the operator can fix. The message states the reason and the remedy. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

/** Converts a full-disk error, which any step of the start can throw, to StartRefused. Returns other errors unchanged. */
export function explainFullDisk(error: unknown, data_dir: string): unknown {
  const text = messagesOf(error)
  // the database and the engine are separate processes, so only their output is available
  const line = text.split('\n').find((each) => /no space left on device|disk quota exceeded/i.test(each))
  if (!isStorageFull(error) && line === undefined) return error
  return new StartRefused(
    `A disk that the service needs is full. Free some space, then start again. The data folder is ${data_dir}. (${(line ?? text).trim()})`,
    { cause: error },
  )
}

const messagesOf = (error: unknown): string =>
  error instanceof Error ? [error.message, messagesOf(error.cause)].join('\n') : ''

/** The error code of the operating system or driver; undefined for errors without one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // several addresses were tried; the first error is representative
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
}
