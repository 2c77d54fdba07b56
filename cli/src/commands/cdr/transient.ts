import { ConnectionError, DemarcError } from '@demarc/client'

/** Statuses that say nothing about the request: the same one may succeed later. */
const transient_statuses: readonly number[] = [429, 502, 503, 504]

/** Whether an error is of the moment: no connection, a connection that was lost, or a service that is not ready. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DemarcError) return transient_statuses.includes(error.status)
  return error instanceof ConnectionError
}
