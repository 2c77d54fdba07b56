import path from 'node:path'
import { StartRefused } from '../platform/start-refused.ts'
import { isStorageFull } from '../platform/unavailable.ts'

/** Errors that the operator can fix, by name: their modules are loaded only when needed. */
const correctable = new Set([
  'ConfigError',
  'StartRefused',
  'EngineRefused',
  'WarehouseRefused',
  'WarehouseUnavailable',
  'MoveRefused',
  'ColdMonthFailed',
  'FileDamaged',
  'MoveStopped',
  'MigrationRefused',
])

/** Prints the message of an error that the operator can fix, and any other error with its stack. */
export function printStartError(error: unknown, data_dir: string): void {
  const explained = explainStorage(error, data_dir)
  console.error(explained instanceof Error && correctable.has(explained.name) ? explained.message : explained)
}

/**
 * Converts an error of the disk or the data folder, which any step of the start can throw, to StartRefused. Returns other
 * errors unchanged.
 */
const explainStorage = (error: unknown, data_dir: string): unknown =>
  explainFullDisk(error, data_dir) ?? explainFolder(error, data_dir) ?? error

function explainFullDisk(error: unknown, data_dir: string): StartRefused | undefined {
  const text = messagesOf(error)
  // the database and the engine are separate processes, so only their output is available
  const line = text.split('\n').find((each) => /no space left on device|disk quota exceeded/i.test(each))
  if (!isStorageFull(error) && line === undefined) return undefined
  return new StartRefused(
    `A disk that the service needs is full. Free some space, then start again. The data folder is ${data_dir}. (${(line ?? text).trim()})`,
    { cause: error },
  )
}

/** What keeps this user from using a path below the data folder, and the remedy, by error code. */
const folderErrors: Readonly<Record<string, (file: string) => string>> = {
  EACCES: (file) =>
    `This user may not use ${file}. Start Demarc as the user that owns it, or change its owner (chown -R).`,
  EPERM: (file) =>
    `This user may not change ${file}. Start Demarc as the user that owns it, or change its owner (chown -R).`,
  EROFS: (file) => `The file system of ${file} is read-only. Remount it as writable.`,
  EEXIST: (file) => `${file} is a file, but must be a folder. Move it away.`,
  ENOTDIR: (file) => `A part of the path ${file} is a file, but must be a folder. Move it away.`,
}

function explainFolder(error: unknown, data_dir: string): StartRefused | undefined {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined
  const explain = folderErrors[codeOf(error) ?? '']
  if (explain === undefined || path.relative(data_dir, error.path).startsWith('..')) return undefined
  return new StartRefused(`${explain(error.path)} Or set DEMARC_DATA to another folder.`, { cause: error })
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
