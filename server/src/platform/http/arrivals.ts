import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../rate-limit.ts'

/** Limits the connections that a network (see `networkOf`) opens. Proxies are exempt. */
export interface ArrivalLimit {
  /** Closes the connections that a network opens too fast. */
  watch(server: Server): void
  /** How many connections have arrived, refused ones included. */
  arrived(): number
  /** Makes the network of a connection open fewer ones for a while. Must be called before the connection is destroyed. */
  charge(socket: Socket): void
}

/** A connection that is charged counts as this many: closing one that has hundreds of requests takes milliseconds. */
const charged = 128
/** A network waits at most this long before it can open the next connection. */
const debt_max_s = 5

/** How many connections count, at a time in seconds. They decrease by the allowed number each second. */
interface Arrivals {
  count: number
  at_s: number
}

/**
 * A network may open this many connections per second. Without this, a client that opens a new connection for each one that
 * the service closes keeps the queue of new connections full, and those of other clients wait there for a second or more.
 */
export function createArrivalLimit(
  per_second: number,
  isProxy: (address: string) => boolean,
  onClosed: () => void,
): ArrivalLimit {
  const networks = new Map<string, Arrivals>()
  let cleared_at_s = 0
  let arrived = 0
  const nowS = () => performance.now() / 1000
  const countOf = (network: string, now_s: number) => {
    const { count, at_s } = networks.get(network) ?? { count: 0, at_s: now_s }
    return Math.max(0, count - (now_s - at_s) * per_second)
  }
  const clear = (now_s: number) => {
    cleared_at_s = now_s
    for (const network of networks.keys()) if (countOf(network, now_s) === 0) networks.delete(network)
  }
  /** Null for a proxy, and if the client has disconnected already. */
  const limitedNetwork = ({ remoteAddress: address }: Socket) =>
    address === undefined || isProxy(address) ? null : networkOf(address)
  return {
    watch(server) {
      server.on('connection', (socket: Socket) => {
        arrived += 1
        const network = limitedNetwork(socket)
        if (network === null) return
        const at_s = nowS()
        if (at_s - cleared_at_s >= 1) clear(at_s)
        const count = countOf(network, at_s) + 1
        if (count <= per_second) return void networks.set(network, { count, at_s })
        socket.destroy()
        onClosed()
      })
    },
    arrived: () => arrived,
    charge(socket) {
      const network = limitedNetwork(socket)
      if (network === null) return
      const at_s = nowS()
      networks.set(network, { count: Math.min(countOf(network, at_s) + charged, per_second * debt_max_s), at_s })
    },
  }
}
