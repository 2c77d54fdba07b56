import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../rate-limit.ts'

/** Decides which connections to close when there are too many. A connection is idle while it has no request in progress. */

export interface ConnectionLimits {
  connections: number
  /** Maximum per network (see `networkOf`). */
  connections_per_address: number
  /** How long a client may accept no bytes of a response. */
  stall_ms: number
}

export interface ConnectionLimit {
  /** Limits a server's connections; several servers may share one limit. */
  watch(server: Server): void
  /** Wraps a request listener to mark a connection busy while it serves a request. */
  busy(listener: RequestListener): RequestListener
}

export type ClosingReason = 'address' | 'total' | 'stalled' | 'arrivals' | 'pipelined'

interface Connection {
  network: string
  /** Requests without a complete response. */
  requests: number
}

/** The connections from one network. The first idle one has been idle longest. */
interface Client {
  open: number
  idle: Set<Socket>
}

/**
 * Beyond a limit, closes the connection that has been idle longest, to keep silent connections from blocking others. If all are
 * busy, closes the new one. An address for which `isProxy` is true has many clients behind it, so only the total limit applies.
 */
export function createConnectionLimit(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
  onClosed: (reason: ClosingReason) => void,
): ConnectionLimit {
  const connections = new OpenConnections(limits, isProxy, onClosed)
  return {
    watch(server) {
      server.on('connection', (socket: Socket) => connections.add(socket))
      server.setTimeout(limits.stall_ms)
      // with this listener node:http leaves silent sockets for us to close: idle ones, and those with unsent bytes
      server.on('timeout', (socket: Socket) => connections.onSilent(socket))
    },
    busy: (listener) => (request, response) => {
      const { socket } = request
      if (connections.begin(socket)) response.once('close', () => connections.end(socket))
      listener(request, response)
    },
  }
}

class OpenConnections {
  readonly #limits: ConnectionLimits
  readonly #isProxy: (address: string) => boolean
  readonly #onClosed: (reason: ClosingReason) => void
  readonly #open = new Map<Socket, Connection>()
  readonly #idle = new Set<Socket>()
  readonly #clients = new Map<string, Client>()

  constructor(
    limits: ConnectionLimits,
    isProxy: (address: string) => boolean,
    onClosed: (reason: ClosingReason) => void,
  ) {
    this.#limits = limits
    this.#isProxy = isProxy
    this.#onClosed = onClosed
  }

  add(socket: Socket): void {
    const address = socket.remoteAddress
    // the client has disconnected already
    if (address === undefined) return void socket.destroy()
    const connection = { network: networkOf(address), requests: 0 }
    const client = this.#clients.get(connection.network) ?? { open: 0, idle: new Set() }
    this.#clients.set(connection.network, client)
    client.open += 1
    this.#open.set(socket, connection)
    this.#setIdle(socket, connection, true)
    socket.once('close', () => this.#remove(socket))
    if (client.open > this.#limits.connections_per_address && !this.#isProxy(address))
      this.#close(client.idle.values().next().value, 'address')
    if (this.#open.size > this.#limits.connections) this.#close(this.#idle.values().next().value, 'total')
  }

  /** False if the connection is already closed. */
  begin(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (!connection) return false
    connection.requests += 1
    this.#setIdle(socket, connection, false)
    return true
  }

  end(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (!connection) return
    connection.requests -= 1
    if (connection.requests === 0) this.#setIdle(socket, connection, true)
  }

  onSilent(socket: Socket): void {
    if (this.#idle.has(socket)) socket.destroy()
    else if (socket.writableLength > 0) this.#close(socket, 'stalled')
  }

  #setIdle(socket: Socket, { network }: Connection, idle: boolean): void {
    for (const sockets of [this.#idle, this.#clients.get(network)?.idle]) {
      sockets?.delete(socket)
      if (idle) sockets?.add(socket)
    }
  }

  #close(socket: Socket | undefined, reason: ClosingReason): void {
    if (!socket) return
    // not on its close event, which comes too late when many clients connect at the same time
    this.#remove(socket)
    socket.destroy()
    this.#onClosed(reason)
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (!connection) return
    this.#setIdle(socket, connection, false)
    this.#open.delete(socket)
    const client = this.#clients.get(connection.network)
    if (client && --client.open === 0) this.#clients.delete(connection.network)
  }
}
