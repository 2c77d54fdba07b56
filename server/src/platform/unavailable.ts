import { DatabaseBusy, DatabaseSilent, OutcomeUnknown, sqlState } from './db.ts'
import { Problem, problem } from './problem.ts'
import { isStorageFull } from './storage-full.ts'

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

/** The problem of a request that is refused so that those before it are served soon. */
export const tooManyRequests = (cause?: unknown) =>
  unavailable('The service has more requests than it can work on at the moment. Try again in a moment.', cause)

/** A person must free up space first. */
const storage_retry_s = 30

const outcomeUnknown =
  'The connection to the database was lost while the change was being stored, and whether it was stored is not known. If the request had an Idempotency-Key, send it again with the same one: it is done once. If not, read what it would have changed before sending it again.'

/** Messages of `pg` for a missing connection; these errors have neither class nor code. */
const connectionMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered a connection error))/
const connectionCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/** The problem for an error of a dependency after which a client may retry: 503, or 409 for conflicting changes. Null for others. */
export function retryableProblem(error: unknown): Problem | null {
  if (error instanceof DependencyUnavailable) return unavailable(error.message, error)
  if (error instanceof OutcomeUnknown) return unavailable(outcomeUnknown, error)
  if (error instanceof DatabaseBusy) return tooManyRequests(error)
  if (isStorageFull(error))
    return unavailable(
      'The service has no room to store this at the moment. Try again later, and tell the operator if it stays so.',
      error,
      storage_retry_s,
    )
  const state = sqlState(error)
  // lock_not_available, serialization_failure, deadlock_detected
  if (state !== undefined && ['55P03', '40001', '40P01'].includes(state))
    return problem('conflict', 'Another request is changing the same thing. Send yours again.', { cause: error })
  return error instanceof DatabaseSilent || isDatabaseUnavailable(error, state)
    ? unavailable('The database is not ready. Try again in a moment.', error)
    : null
}

function isDatabaseUnavailable(error: unknown, state: string | undefined): boolean {
  // query_canceled by the statement timeout; read_only_sql_transaction of a standby; class 53: out of memory, connections or
  // another resource; 57P0x: stopping or starting; class 08: connection
  if (state !== undefined) return state === '57014' || state === '25006' || /^(53|57P0|08)/.test(state)
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  // the socket of a server that is not running is a missing file
  return connectionCodes.includes(code ?? '') || syscall === 'connect' || connectionMessages.test(error.message)
}
