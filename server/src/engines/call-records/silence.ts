/** Aborts queries when the store hangs. A ping distinguishes a hanging store from a slow query. */

import { within } from '../../platform/patience.ts'
import { sendHeartbeat } from './chdb/socket.ts'
import { WarehouseSilent } from './errors.ts'
import { LIMITS } from './limits.ts'

/** Runs the work. If the store stops responding, aborts it and rejects with WarehouseSilent. */
export type UnlessSilent = <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Resolves on any response. Uses a separate connection, because queries may use all others. */
type Ping = (signal: AbortSignal) => Promise<unknown>

export function watchSilence(at: { url: string } | { socket: string }): UnlessSilent {
  const ping = pingOf(at)
  let silent = false
  const isSilent = async (wait_ms: number): Promise<boolean> => {
    const over = new AbortController()
    const response = ping(over.signal).catch(() => undefined)
    silent = (await within(response, wait_ms)) === 'silent'
    over.abort()
    return silent
  }
  return async (work, signal) => {
    // later queries fail sooner
    if (silent && (await isSilent(LIMITS.ping_again_ms))) throw noResponse()
    const over = new AbortController()
    const settled = work(signal ? AbortSignal.any([signal, over.signal]) : over.signal).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    let outcome = await within(settled, LIMITS.ping_after_ms)
    while (outcome === 'silent') {
      if (await isSilent(LIMITS.ping_ms)) {
        over.abort()
        throw noResponse()
      }
      outcome = await within(settled, LIMITS.ping_after_ms)
    }
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

const noResponse = () => new WarehouseSilent('The call-record store is not responding')

function pingOf(at: { url: string } | { socket: string }): Ping {
  if ('socket' in at) return (signal) => sendHeartbeat(at.socket, signal)
  const url = new URL('/ping', at.url)
  // fetch rejects a URL with credentials, and a ping needs none
  url.username = ''
  url.password = ''
  return async (signal) => {
    const response = await fetch(url, { signal })
    await response.arrayBuffer()
  }
}
