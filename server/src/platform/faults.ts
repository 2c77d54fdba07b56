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

/** Faults of the parts we stand on that a client may simply try again: 503, or 409 for two who change the same thing. Null for others. */
export function notReady(error: unknown): Problem | null {
  if (error instanceof PartUnavailable) return later(error.message, error)
  const state = sqlState(error)
  if (state !== undefined) {
    // lock_not_available, serialization_failure, deadlock_detected
    if (['55P03', '40001', '40P01'].includes(state))
      return problem('conflict', 'Another request is changing the same thing. Send yours again.', { cause: error })
    // query_canceled by the statement timeout; class 57P0x: the server is stopping or starting; class 08: connection
    if (state === '57014' || state.startsWith('57P0') || state.startsWith('08') || state === '53300')
      return later('The database is not ready. Try again in a moment.', error)
    return null
  }
  const { code, message } = error as { code?: unknown; message?: unknown }
  const lost =
    code === 'ECONNREFUSED' ||
    code === 'ENOENT' ||
    code === 'EPIPE' ||
    /Connection terminated|timeout exceeded when trying to connect/.test(String(message))
  return lost && error instanceof Error && /connect|Connection|timeout exceeded/.test(error.message)
    ? later('The database is not ready. Try again in a moment.', error)
    : null
}
