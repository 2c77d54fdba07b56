import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../rate-limit.ts'

const window_ms = 1_000

/**
 * Closes the connections that a network (see `networkOf`) opens beyond this many per second. Without this, a client that opens
 * a new connection for each one that the service closes keeps the queue of new connections full, and those of other clients
 * wait there for a second or more. Proxies are exempt.
 */
export function limitArrivals(
  server: Server,
  per_second: number,
  isProxy: (address: string) => boolean,
  onClosed: () => void,
): void {
  /** By network, in the current second. */
  const arrived = new Map<string, number>()
  let ends_at = 0
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // the client has disconnected already
    if (address === undefined) return
    const now = performance.now()
    if (now >= ends_at) {
      arrived.clear()
      ends_at = now + window_ms
    }
    const network = networkOf(address)
    const nth = (arrived.get(network) ?? 0) + 1
    arrived.set(network, nth)
    if (nth <= per_second || isProxy(address)) return
    socket.destroy()
    onClosed()
  })
}
