import { sqlState } from './db.ts'
import { Problem, problem } from './problem.ts'

/** Thrown by an engine that is starting again or out of reach; the work can be done once it is back. */
export class PartUnavailable extends Error {
  readonly part: string
  constructor(part: string, options: { cause?: unknown } = {}) {
    super(`${part} is not available at the moment.`, options)
    this.name = 'PartUnavailable'
    this.part = part
  }
}

const later = (detail: string, cause: unknown) =>
  problem('not-ready', detail, { cause, headers: { 'retry-after': '2' } })

/** How `pg` says that it has no connection; it gives these errors neither class nor code. */
const connectionWords =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered a connection error))/
const connectionCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/** Faults of the parts we stand on that a client may simply try again: 503, or 409 for two who change the same thing. Null for others. */
export function notReady(error: unknown): Problem | null {
  if (error instanceof PartUnavailable) return later(error.message, error)
  const state = sqlState(error)
  // lock_not_available, serialization_failure, deadlock_detected
  if (state !== undefined && ['55P03', '40001', '40P01'].includes(state))
    return problem('conflict', 'Another request is changing the same thing. Send yours again.', { cause: error })
  return isDatabaseAway(error, state) ? later('The database is not ready. Try again in a moment.', error) : null
}

function isDatabaseAway(error: unknown, state: string | undefined): boolean {
  // query_canceled by the statement timeout; too_many_connections; 57P0x: stopping or starting; class 08: connection
  if (state !== undefined) return state === '57014' || state === '53300' || /^(57P0|08)/.test(state)
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  // the socket of a server that is not running is a missing file
  return connectionCodes.includes(code ?? '') || syscall === 'connect' || connectionWords.test(error.message)
}
