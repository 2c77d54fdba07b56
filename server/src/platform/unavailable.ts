import { DatabaseBusy, DatabaseSilent, isStaleStatement, NoMatchingServer, OutcomeUnknown, sqlState } from './db.ts'
import { serverErrorOf } from './postgres/server-errors.ts'
import { Problem, problem } from './problem.ts'

/** Thrown when an engine is restarting or unreachable; the same work can succeed later. */
export class DependencyUnavailable extends Error {
  readonly dependency: string
  constructor(dependency: string, options: { cause?: unknown } = {}) {
    super(`${dependency} is not available at the moment.`, options)
    this.name = 'DependencyUnavailable'
    this.dependency = dependency
  }
}

const unavailable = (detail: string, cause: unknown, retry_after_s = 2) =>
  problem('not-ready', detail, { cause, headers: { 'retry-after': String(retry_after_s) } })

/** The problem for a request that is refused so that earlier ones are served soon. */
export const tooManyRequests = (cause?: unknown) =>
  unavailable('The service has more requests than it can work on at the moment. Try again in a moment.', cause)

/** A person must free up space first. */
const storage_retry_s = 30

const outcomeUnknown =
  'The connection to the database was lost while the change was being stored, and whether it was stored is not known. If the request had an Idempotency-Key, send it again with the same one: it takes effect once. If not, check whether the change was made before you send it again.'

/**
 * The problem for a dependency's error after which a client may retry: 503, or 409 for conflicting changes. Null for any other
 * error.
 */
export function retryableProblem(error: unknown): Problem | null {
  if (error instanceof DependencyUnavailable) return unavailable(error.message, error)
  if (error instanceof OutcomeUnknown) return unavailable(outcomeUnknown, error)
  if (error instanceof DatabaseBusy) return tooManyRequests(error)
  if (isStorageFull(error))
    return unavailable(
      'The service has no room to store this at the moment. Try again later. If this continues, tell the operator.',
      error,
      storage_retry_s,
    )
  const state = sqlState(error)
  // lock_not_available, serialization_failure, deadlock_detected
  if (state !== undefined && ['55P03', '40001', '40P01'].includes(state))
    return problem('conflict', 'Another request is changing the same thing. Send yours again.', { cause: error })
  if (isStaleStatement(error)) return unavailable('The database was just upgraded. Try again in a moment.', error)
  return error instanceof DatabaseSilent || error instanceof NoMatchingServer || isDatabaseUnavailable(error)
    ? unavailable('The database is not ready. Try again in a moment.', error)
    : null
}

function isDatabaseUnavailable(error: unknown): boolean {
  const found = serverErrorOf(error)
  return found !== null && found !== 'broken'
}

/** Errors of a disk without room: of the operating system, of a quota, and of PostgreSQL (disk_full). */
const codes = ['ENOSPC', 'EDQUOT', '53100']

/** True for an error whose cause is that there is no room left. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && codes.includes(String(error.code))) || isStorageFull(error.cause)
}
