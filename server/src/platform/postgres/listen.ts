import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionConfig, type Connection } from './connection.ts'
import type { Log } from './log.ts'

export interface ListenOptions {
  /** All channels are subscribed from now on. Earlier notifications may be lost: invalidate all caches. */
  onUp?: () => void
  /** No notification arrives until the next `onUp`: trust no cache. Not called at `close()`. */
  onDown?: () => void
  application_name?: string
  /** Interval of the heartbeat query; default 10 000. A dead connection is detected within twice that. */
  heartbeat_ms?: number
  log: Log
}

export interface Listener {
  isUp(): boolean
  /** Stops listening and closes the connection. Safe to call twice. */
  close(): Promise<void>
}

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000
const CONNECT_TIMEOUT_MS = 10_000
/** A peer that vanished never confirms the close. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Subscribes to NOTIFY on `channels` over a connection of its own, and reconnects until closed.
 * Never throws: until the first `onUp` no notification arrives. `handler` must not throw; if it does, that is logged.
 */
export function listen(
  connection: Connection,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
): Listener {
  const stopped = new AbortController()
  const state = { up: false, failures: 0 }
  const running = keepListening({ connection, channels, handler, options, state, stopped: stopped.signal })
  return {
    isUp: () => state.up,
    async close() {
      stopped.abort()
      await running
    },
  }
}

interface Subscription {
  connection: Connection
  channels: readonly string[]
  handler: (channel: string, payload: string) => void
  options: ListenOptions
  state: { up: boolean; failures: number }
  stopped: AbortSignal
}

async function keepListening(subscription: Subscription): Promise<void> {
  const { channels, options, state, stopped } = subscription
  while (!stopped.aborted) {
    try {
      await listenOnce(subscription)
    } catch (error) {
      options.log.warn({ err: error, channels }, 'the listening database connection was lost, reconnecting')
    }
    const ceiling = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** state.failures)
    state.failures += 1
    // Half fixed, half random, so that processes do not reconnect at the same moment.
    await pause(ceiling / 2 + (Math.random() * ceiling) / 2, stopped)
  }
}

/** Connects and listens until stopped; rejects when the connection fails. */
async function listenOnce({ connection, channels, handler, options, state, stopped }: Subscription): Promise<void> {
  const heartbeat_ms = options.heartbeat_ms ?? 10_000
  const client = new pg.Client({
    ...connectionConfig(connection),
    application_name: options.application_name ?? 'demarc listener',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: heartbeat_ms,
  })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('the server closed the connection')))
  const over = AbortSignal.any([stopped, lost.signal])
  client.on('notification', ({ channel, payload }) => {
    try {
      handler(channel, payload ?? '')
    } catch (error) {
      options.log.error({ err: error, channel }, 'a notification handler failed')
    }
  })
  try {
    await client.connect()
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`)
    if (stopped.aborted) return
    state.up = true
    state.failures = 0
    options.onUp?.()
    while (!over.aborted) {
      await pause(heartbeat_ms, over)
      // A peer that vanished without closing the connection is detected only by a query.
      if (!over.aborted) await client.query('select 1')
    }
    if (lost.signal.aborted) throw lost.signal.reason
  } finally {
    const was_up = state.up
    state.up = false
    if (was_up && !stopped.aborted) options.onDown?.()
    await Promise.race([client.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

async function pause(duration_ms: number, over: AbortSignal): Promise<void> {
  try {
    await sleep(duration_ms, undefined, { signal: over })
  } catch (error) {
    if (!over.aborted) throw error
  }
}
