import type { PortOrderStatus } from '../port-orders/transitions.ts'
import type { DemarcClient } from './demarc.ts'
import { ConnectionError, DemarcError } from './errors.ts'
import { sleep } from './retries.ts'

/** Waits for background work of the service. */

export interface WaitOptions<T> {
  /** Time limit in milliseconds; 0 for none. */
  timeout_ms?: number
  /** Time before the second poll in milliseconds; each pause is 1.5 times the one before. */
  poll_ms?: number
  /** Longest pause between polls in milliseconds. */
  max_poll_ms?: number
  /** Aborts the wait; the function then throws the signal's reason. */
  signal?: AbortSignal
  /** Called with each poll's result. */
  on_poll?: (value: T) => void
}

/** The time limit passed. Nothing was canceled, so the work may still finish. */
export class WaitTimeoutError<T = unknown> extends Error {
  readonly timeout_ms: number
  /** The last poll's result. */
  readonly last: T
  readonly remedy = 'Wait again, with a longer timeout_ms.'

  constructor(subject: string, timeout_ms: number, last: T, cause?: unknown) {
    super(`${subject} was not over after ${timeout_ms / 1000} s.`, { cause })
    this.name = 'WaitTimeoutError'
    this.timeout_ms = timeout_ms
    this.last = last
  }
}

/**
 * Calls `read` until `done` returns true for its result, and returns that result. The first poll has to succeed; later ones may
 * fail while the service is unavailable. Throws WaitTimeoutError, with the last poll's error as its cause if that poll failed.
 */
export async function waitFor<T>(
  subject: string,
  read: () => Promise<T>,
  done: (value: T) => boolean,
  options: WaitOptions<T> = {},
): Promise<T> {
  const { timeout_ms = 0, poll_ms = 500, max_poll_ms = 10_000, signal, on_poll } = options
  const deadline = timeout_ms === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeout_ms
  let last = await read()
  let failure: unknown
  for (let pause_ms = poll_ms; ; pause_ms = Math.min(max_poll_ms, pause_ms * 1.5)) {
    if (failure === undefined) {
      on_poll?.(last)
      if (done(last)) return last
    }
    const left_ms = deadline - performance.now()
    if (left_ms <= 0) throw new WaitTimeoutError(subject, timeout_ms, last, failure)
    await sleep(Math.min(left_ms, pause_ms * (0.75 + Math.random() / 2)), signal)
    try {
      last = await read()
      failure = undefined
    } catch (error) {
      if (!isTransient(error)) throw error
      failure = error
    }
  }
}

/**
 * Whether an error is temporary, so the same request may succeed later: no connection, a lost one, or a service that isn't
 * ready.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof DemarcError && [429, 502, 503, 504].includes(error.status))

/** An export, as returned by `getCdrExport`. */
export type CdrExport = Awaited<ReturnType<DemarcClient['getCdrExport']>>['body']['data']

/** The export failed; `export.attributes.failure_reason` has the reason. */
export class ExportFailedError extends Error {
  readonly export: CdrExport

  constructor(failed: CdrExport) {
    super(`Export ${failed.id} failed: ${failed.attributes.failure_reason ?? 'the service does not say why'}`)
    this.name = 'ExportFailedError'
    this.export = failed
  }
}

/**
 * Waits until an export is completed, for an hour by default, and returns it. `on_poll` receives its `progress`. Throws
 * ExportFailedError, WaitTimeoutError, and anything that `getCdrExport` throws.
 */
export async function waitForExport(
  client: Pick<DemarcClient, 'getCdrExport'>,
  export_id: string,
  options: WaitOptions<CdrExport> = {},
): Promise<CdrExport> {
  const { signal } = options
  const read = async () => (await client.getCdrExport({ params: { export_id } }, signal ? { signal } : {})).body.data
  const over = ({ attributes }: CdrExport) => attributes.status !== 'processing'
  const ended = await waitFor(`Export ${export_id}`, read, over, { timeout_ms: 3_600_000, ...options })
  if (ended.attributes.status === 'failed') throw new ExportFailedError(ended)
  return ended
}

/** The status of a port order, as returned by `getPortOrderStatus`. */
export type PortOrderProgress = Awaited<ReturnType<DemarcClient['getPortOrderStatus']>>['body']['data']

/** Final statuses. */
export const finalStatuses = [
  'Completed',
  'Canceled',
  'Abandoned',
  'Hard_canceled',
] as const satisfies readonly PortOrderStatus[]

/** The statuses to wait for, and the time limit. */
export interface PortOrderWaitOptions extends WaitOptions<PortOrderProgress> {
  /** The statuses to wait for. Default: the final ones and Rejected, where the order waits for the account. */
  until?: readonly PortOrderStatus[]
}

/** The port order ended in a status other than those waited for. */
export class PortOrderEndedError extends Error {
  readonly order: PortOrderProgress

  constructor(order: PortOrderProgress, until: readonly PortOrderStatus[]) {
    super(`Port order ${order.id} is ${order.attributes.status}, so it will never be ${until.join(' or ')}.`)
    this.name = 'PortOrderEndedError'
    this.order = order
  }
}

/**
 * Waits until a port order has one of the statuses in `until`, and returns its status. There is no time limit by default,
 * because ports take days. Throws PortOrderEndedError if the order can no longer get there, WaitTimeoutError, and anything that
 * `getPortOrderStatus` throws.
 */
export async function waitForPortOrder(
  client: Pick<DemarcClient, 'getPortOrderStatus'>,
  portorder_id: string,
  options: PortOrderWaitOptions = {},
): Promise<PortOrderProgress> {
  const { until = [...finalStatuses, 'Rejected'], signal, ...rest } = options
  const request = signal ? { signal } : {}
  const read = async () => (await client.getPortOrderStatus({ params: { portorder_id } }, request)).body.data
  const isIn = (statuses: readonly string[], { attributes }: PortOrderProgress) => statuses.includes(attributes.status)
  const over = (order: PortOrderProgress) => isIn(until, order) || isIn(finalStatuses, order)
  const pauses = { poll_ms: 2000, max_poll_ms: 60_000 }
  const order = await waitFor(`Port order ${portorder_id}`, read, over, { ...pauses, ...rest, ...request })
  if (!isIn(until, order)) throw new PortOrderEndedError(order, until)
  return order
}
