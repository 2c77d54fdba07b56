import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../rate-limit.ts'

/** Which connections are kept when there are too many. A connection is idle while none of its requests is being answered. */

export interface ConnectionLimits {
  connections: number
  /** Of these from one network (see `networkOf`). */
  connections_per_address: number
  /** Longest time in which a client accepts nothing of a response. */
  stall_ms: number
}

export interface ConnectionLimit {
  /** Limits the connections of a server; several may share the limits. */
  watch(server: Server): void
  /** Wraps a server's request listener, so that a connection with a request is not idle. */
  busy(listener: RequestListener): RequestListener
}

export type ClosingReason = 'address' | 'total' | 'stalled'

interface Connection {
  network: string
  /** Requests without a complete response. */
  requests: number
}

/** The connections from one network; the idle ones with the longest idle first. */
interface Client {
  open: number
  idle: Set<Socket>
}

/**
 * Beyond a limit the connection that has been idle longest is closed, so that silent connections cannot keep others out. Where all
 * are busy, that is the new one. The addresses that `isProxy` says so of have many clients behind them; only the total counts there.
 */
export function createConnectionLimit(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
  onClosed: (reason: ClosingReason) => void,
): ConnectionLimit {
  const open = new Map<Socket, Connection>()
  const idle = new Set<Socket>()
  const clients = new Map<string, Client>()

  const setIdle = (socket: Socket, { network }: Connection, now: boolean) => {
    for (const sockets of [idle, clients.get(network)?.idle]) {
      sockets?.delete(socket)
      if (now) sockets?.add(socket)
    }
  }
  const leave = (socket: Socket) => {
    const connection = open.get(socket)
    if (!connection) return
    setIdle(socket, connection, false)
    open.delete(socket)
    const client = clients.get(connection.network)
    if (client && --client.open === 0) clients.delete(connection.network)
  }
  const close = (socket: Socket | undefined, reason: ClosingReason) => {
    if (!socket) return
    // before its close event, which comes too late when many connect at once
    leave(socket)
    socket.destroy()
    onClosed(reason)
  }
  const enter = (socket: Socket) => {
    const address = socket.remoteAddress
    // the client has disconnected already
    if (address === undefined) return void socket.destroy()
    const connection = { network: networkOf(address), requests: 0 }
    const client = clients.get(connection.network) ?? { open: 0, idle: new Set() }
    clients.set(connection.network, client)
    client.open += 1
    open.set(socket, connection)
    setIdle(socket, connection, true)
    socket.once('close', () => leave(socket))
    if (client.open > limits.connections_per_address && !isProxy(address))
      close(client.idle.values().next().value, 'address')
    if (open.size > limits.connections) close(idle.values().next().value, 'total')
  }
  return {
    watch(server) {
      server.on('connection', enter)
      server.setTimeout(limits.stall_ms)
      // with this listener node:http leaves it to us to close sockets without traffic: idle ones, and those with unsent bytes
      server.on('timeout', (socket: Socket) => {
        if (idle.has(socket)) socket.destroy()
        else if (socket.writableLength > 0) close(socket, 'stalled')
      })
    },
    busy: (listener) => (request, response) => {
      const { socket } = request
      const connection = open.get(socket)
      if (connection) {
        connection.requests += 1
        setIdle(socket, connection, false)
        response.once('close', () => {
          connection.requests -= 1
          if (connection.requests === 0 && open.has(socket)) setIdle(socket, connection, true)
        })
      }
      listener(request, response)
    },
  }
}
