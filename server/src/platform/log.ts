import pino from 'pino'
import type { Log } from './db.ts'

/** The log: JSON lines on standard error with ids only, never names, addresses, secrets or query strings. */
export function createLog(level: string, process_name: string): Log {
  return pino(
    {
      level,
      base: { process: process_name },
      redact: ['authorization', '*.authorization', 'secret_key', '*.secret_key'],
      serializers: { err: briefError },
    },
    pino.destination({ dest: 2, sync: false }),
  )
}

/** An error without the values that a driver attaches to it: row values do not belong in the log. */
function briefError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown }
  const cause = error.cause === undefined ? undefined : briefError(error.cause)
  return { name: error.name, message: error.message, stack: error.stack, code, constraint, table, cause }
}
