import pino from 'pino'
import sonic_boom from 'sonic-boom'
import type { Log } from './db.ts'
import { currentSpan } from './traces/index.ts'

/** Lines that wait while standard error does not accept them. More are dropped. */
const waiting_max_bytes = 1024 * 1024

/**
 * The log: JSON lines on standard error with ids only, never names, addresses, secrets or query strings. `traced`: lines name their
 * trace.
 */
export function createLog(level: string, process_name: string, { traced = false } = {}): Log {
  return pino(
    {
      level,
      base: { process: process_name },
      redact: ['authorization', '*.authorization', 'secret_key', '*.secret_key'],
      serializers: { err: briefError },
      ...(traced && { mixin: traceFields }),
    },
    standardError(),
  )
}

/**
 * Writes in the background, and the rest at exit. The service does not depend on its log: without a reader, or on a full disk, it
 * continues. Only `sonic-boom` 5 ends its last write after such an error, and pino's own destination has 4.
 */
function standardError() {
  const output = new sonic_boom.SonicBoom({ fd: 2, sync: false, maxLength: waiting_max_bytes })
  // where would this be logged? the next line tries again
  output.on('error', () => undefined)
  output.on('drop', () => output.flush())
  process.once('exit', () => {
    try {
      output.flushSync()
    } catch {
      // the process ends without these lines
    }
  })
  return output
}

/** Names the trace that a line belongs to. */
function traceFields(): object {
  const span = currentSpan()
  return span === undefined ? {} : { trace_id: span.trace_id }
}

/** An error without the values that a driver attaches to it: row values do not belong in the log. */
function briefError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown }
  const cause = error.cause === undefined ? undefined : briefError(error.cause)
  return { name: error.name, message: error.message, stack: error.stack, code, constraint, table, cause }
}
