import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionConfig, type Connection } from './connection.ts'
import type { Log } from './log.ts'

export interface ListenOptions {
  /** All channels are heard from now on. What was said before is lost: drop what you have cached. */
  onUp?: () => void
  /** Nothing is heard from now on, until `onUp`: trust no cache. Not called at `close()`. */
  onDown?: () => void
  application_name?: string
  /** How often the connection proves that it is alive; default 10 000. A dead one is noticed within twice that. */
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

/**
 * Hears NOTIFY on `channels` over a connection of its own, and reconnects for as long as it takes.
 * Never throws: until the first `onUp` nothing is heard. `handler` must not throw; if it does, that is logged.
 */
export function listen(
  connection: Connection,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
): Listener {
  const stopped = new AbortController()
  const state = { up: false }
  const running = keepListening(connection, channels, handler, options, state, stopped.signal)
  return {
    isUp: () => state.up,
    async close() {
      stopped.abort()
      await running
    },
  }
}

async function keepListening(
  connection: Connection,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
  state: { up: boolean },
  stopped: AbortSignal,
): Promise<void> {
  let failures = 0
  while (!stopped.aborted) {
    try {
      await listenOnce(connection, channels, handler, options, state, stopped)
    } catch (error) {
      options.log.warn({ err: error, channels, failures }, 'the listening database connection was lost, reconnecting')
    }
    if (state.up) {
      state.up = false
      failures = 0
      if (!stopped.aborted) options.onDown?.()
    }
    const ceiling = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    // Half fixed, half random, so that a fleet does not return in step.
    await pause(ceiling / 2 + (Math.random() * ceiling) / 2, stopped)
  }
}

/** Connects, hears, and returns when stopped; rejects when the connection fails. */
async function listenOnce(
  connection: Connection,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
  state: { up: boolean },
  stopped: AbortSignal,
): Promise<void> {
  const heartbeat_ms = options.heartbeat_ms ?? 10_000
  const client = new pg.Client({
    ...connectionConfig(connection),
    application_name: options.application_name ?? 'demarc listener',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: heartbeat_ms,
  })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the server closed the connection')))
  })
  lost.catch(() => undefined) // it is awaited below; before that, connect() tells the same fault
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
    options.onUp?.()
    while (!stopped.aborted) {
      await Promise.race([pause(heartbeat_ms, stopped), lost])
      // A peer that vanished without a word is only noticed by asking.
      if (!stopped.aborted) await client.query('select 1')
    }
  } finally {
    await client.end().catch((error: unknown) => {
      options.log.warn({ err: error }, 'closing the listening database connection failed')
    })
  }
}

async function pause(duration_ms: number, stopped: AbortSignal): Promise<void> {
  try {
    await sleep(duration_ms, undefined, { signal: stopped })
  } catch (error) {
    if (!stopped.aborted) throw error
  }
}
