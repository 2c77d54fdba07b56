import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { within } from '../patience.ts'
import type { Connection } from './connection.ts'
import { Route } from './route.ts'
import type { Log } from './log.ts'

export interface ListenOptions {
  /** All channels are subscribed, and a notification has arrived. Earlier notifications may be lost: invalidate all caches. */
  onUp?: () => void
  /** No notifications arrive until the next `onUp`: trust no cache. Not called by `close()`. */
  onDown?: () => void
  /**
   * True when the server has not responded to a heartbeat or connection attempt for `silence_ms`; false when it responds again,
   * even with a refusal.
   */
  onSilence?: (silent: boolean) => void
  /** Sends a notification over another connection, of the kind that sends the others. */
  notify: (channel: string, payload: string) => Promise<unknown>
  application_name?: string
  /** Interval of the heartbeat query; default 1 000. */
  heartbeat_ms?: number
  /** How long a heartbeat or connection attempt may go without a response before the server counts as silent; default 2 000. */
  silence_ms?: number
  /** How long its own notification may take before it counts as lost; default 5 000. */
  echo_timeout_ms?: number
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
const HEARTBEAT_MS = 1_000
/** Together with the interval, well below the time a client waits for a response. */
const SILENCE_MS = 2_000
const ECHO_TIMEOUT_MS = 5_000
/** Every listener hears the notifications of the others, and ignores them. */
const ECHO_CHANNEL = 'demarc_echo'
/** A vanished peer never confirms the close. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Subscribes to NOTIFY on `channels` over a dedicated connection, and reconnects until closed. Never throws: while the server
 * is unreachable, `onUp` is not called and no notifications arrive. `handler` must not throw; if it does, the error is logged.
 */
export function listen(
  connection: Connection,
  channels: readonly string[],
  handler: (channel: string, payload: string) => void,
  options: ListenOptions,
): Listener {
  const stopped = new AbortController()
  const state = { up: false, silent: false, failures: 0 }
  const route = new Route(connection)
  const running = keepListening({ route, channels, handler, options, state, stopped: stopped.signal })
  return {
    isUp: () => state.up,
    async close() {
      stopped.abort()
      await running
    },
  }
}

interface Subscription {
  route: Route
  channels: readonly string[]
  handler: (channel: string, payload: string) => void
  options: ListenOptions
  state: { up: boolean; silent: boolean; failures: number }
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
    // Random jitter keeps processes from reconnecting at the same moment.
    await pause(ceiling / 2 + (Math.random() * ceiling) / 2, stopped)
  }
}

/** Connects and listens until stopped; rejects when the connection fails. */
async function listenOnce(subscription: Subscription): Promise<void> {
  const { route, channels, options, state, stopped } = subscription
  let session = openSession(subscription)
  try {
    const connecting = route.connect(() => {
      if (session.used) session = openSession(subscription)
      session.used = true
      return connectTo(route, session.client)
    })
    await connected(subscription, connecting)
    if (stopped.aborted) return
    const { client, lost } = session
    await respondedTo(subscription, assertWritable(client))
    const over = AbortSignal.any([stopped, lost])
    for (const channel of [ECHO_CHANNEL, ...channels])
      await respondedTo(subscription, client.query(`listen ${client.escapeIdentifier(channel)}`))
    await receivedOwnNotification(subscription, session)
    if (stopped.aborted) return
    state.up = true
    state.failures = 0
    options.onUp?.()
    while (!over.aborted) {
      await pause(options.heartbeat_ms ?? HEARTBEAT_MS, over)
      // Only a query detects a peer that vanished without closing the connection.
      if (!over.aborted) await respondedTo(subscription, assertWritable(client))
    }
    if (lost.aborted) throw lost.reason
  } finally {
    const was_up = state.up
    state.up = false
    if (was_up && !stopped.aborted) options.onDown?.()
    const { client } = session
    await Promise.race([client.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

async function connectTo(route: Route, client: pg.Client): Promise<void> {
  await client.connect()
  await route.assertMatching(client)
}

/** A server that became read-only may have been replaced: notifications are sent on its successor. */
async function assertWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ read_only: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as read_only`,
  )
  if (rows[0]?.read_only !== false) throw new Error('The database is read-only.')
}

interface Session {
  client: pg.Client
  /** Aborted when the connection ends. */
  lost: AbortSignal
  /** A client connects only once. */
  used: boolean
  /** The payload of its own notification, and when it arrived. */
  echo: string
  echoed: Promise<void>
}

function openSession({ route, handler, options }: Subscription): Session {
  const client = new pg.Client({
    ...route.current,
    application_name: options.application_name ?? 'demarc listener',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('the server closed the connection')))
  const echo = randomUUID()
  const echoed = Promise.withResolvers<void>()
  client.on('notification', ({ channel, payload }) => {
    if (channel === ECHO_CHANNEL) {
      if (payload === echo) echoed.resolve()
      return
    }
    try {
      handler(channel, payload ?? '')
    } catch (error) {
      options.log.error({ err: error, channel }, 'a notification handler failed')
    }
  })
  return { client, lost: lost.signal, used: false, echo, echoed: echoed.promise }
}

/**
 * Waits for a notification sent over another connection. Behind a pooler in transaction mode LISTEN succeeds, but nothing
 * arrives.
 */
async function receivedOwnNotification({ options }: Subscription, { echo, echoed, lost }: Session): Promise<void> {
  await options.notify(ECHO_CHANNEL, echo)
  const gone = new Promise<never>((_, reject) => lost.addEventListener('abort', () => reject(lost.reason)))
  if ((await within(Promise.race([echoed, gone]), options.echo_timeout_ms ?? ECHO_TIMEOUT_MS)) === 'silent')
    throw new Error(
      'Notifications do not arrive. A pooler in transaction mode withholds them: set DATABASE_DIRECT_URL to the server itself.',
    )
}

/** Waits for a statement's response; rejects if none arrives within the silence limit. */
async function respondedTo(subscription: Subscription, response: Promise<unknown>): Promise<void> {
  const outcome = await within(outcomeOf(response), silenceOf(subscription))
  setSilent(subscription, outcome === 'silent')
  if (outcome === 'silent') throw new Error('The database is not responding.')
  if (outcome !== null) throw outcome.error
}

/** Waits for a connection; the driver limits the wait. A refusal also counts as a response. */
async function connected(subscription: Subscription, connecting: Promise<unknown>): Promise<void> {
  const settled = outcomeOf(connecting)
  const soon = await within(settled, silenceOf(subscription))
  if (soon === 'silent') setSilent(subscription, true)
  const { stopped } = subscription
  const outcome = soon === 'silent' ? await Promise.race([settled, once(stopped, 'abort').then(() => null)]) : soon
  if (stopped.aborted) return
  const timed_out = outcome !== null && outcome.error instanceof Error && outcome.error.message === 'timeout expired'
  if (!timed_out) setSilent(subscription, false)
  if (outcome !== null) throw outcome.error
}

/** Null on success, otherwise the error. */
const outcomeOf = (response: Promise<unknown>): Promise<{ error: unknown } | null> =>
  response.then(
    () => null,
    (error: unknown) => ({ error }),
  )

const silenceOf = ({ options }: Subscription): number => options.silence_ms ?? SILENCE_MS

function setSilent({ state, options }: Subscription, silent: boolean): void {
  if (state.silent === silent) return
  state.silent = silent
  options.onSilence?.(silent)
}

async function pause(duration_ms: number, over: AbortSignal): Promise<void> {
  try {
    await sleep(duration_ms, undefined, { signal: over })
  } catch (error) {
    if (!over.aborted) throw error
  }
}
