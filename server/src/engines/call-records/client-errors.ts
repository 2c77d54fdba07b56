/** Maps the failures of the client to the errors of errors.ts. */

import { ClickHouseError } from '@clickhouse/client'
import { ERROR_CODES, type ErrorClass } from './error-codes.ts'
import { storeError, WarehouseOutcomeUnknown, WarehouseUnavailable } from './errors.ts'

/** Nothing was sent: nothing listens, the socket is missing, or the server's name or network is unknown. */
const NOT_CONNECTED_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Maps ClickHouse's errors by code; any other failure comes from the network or the engine. ClickHouse quotes the statement,
 * including a customer's search terms, which must not be logged, so this discards the original error and most of its message.
 */
export function asWarehouseError(error: unknown): Error {
  if (error instanceof ClickHouseError) {
    const text = loggable(error.message)
    const known = ERROR_CODES[error.code]
    if (known?.class === 'unknown')
      return new WarehouseOutcomeUnknown(`It is unknown whether the call-record store has the records: ${known.reason}`)
    if (known !== undefined) return new WarehouseUnavailable(`The call-record store is busy (${known.reason}): ${text}`)
    return storeError(`The call-record store returned an error: ${text}`, error.message, error.code)
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error
  return new WarehouseUnavailable(`The call-record store is not responding: ${message(error)}`, { cause: error })
}

export const classOf = (error: unknown): ErrorClass | undefined =>
  error instanceof ClickHouseError ? ERROR_CODES[error.code]?.class : undefined

/** The part of ClickHouse's message before the quoted statement, on one line. */
export function loggable(message: string): string {
  const [before = ''] = message.split(/ in scope |: while |: In scope | before: | \(at row |unhex\(|SELECT /)
  return before.replaceAll(/\s+/g, ' ').slice(0, 300)
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether nothing was sent: there was no connection, or it was closed before it was accepted. */
export const neverConnected = (error: unknown) =>
  NOT_CONNECTED_CODES.has(errorCode(error)) ||
  (['ECONNRESET', 'ETIMEDOUT'].includes(errorCode(error)) &&
    error instanceof Error &&
    'syscall' in error &&
    error.syscall === 'connect')

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Maps the error of an interrupted stream to one of errors.ts. */
export function streamError(cause: unknown): Error {
  return new WarehouseUnavailable(`The call-record store interrupted the response: ${message(cause)}`, { cause })
}
