import pino from 'pino'
import type { Log } from './db.ts'
import { currentSpan } from './traces/index.ts'

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
    pino.destination({ dest: 2, sync: false }),
  )
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
