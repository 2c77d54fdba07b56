import { isStorageFull } from '../platform/storage-full.ts'

/** The service cannot start for a reason that the person who starts it can correct: the message has the reason and the remedy. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

/** StartRefused for an error of a full disk, which any step of the start can have; other errors as they are. */
export function explainFullDisk(error: unknown, data_dir: string): unknown {
  const text = messagesOf(error)
  // the database and the engine are processes of their own, of which there is only what they wrote
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
  // several addresses were tried: the first error is representative
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
}
