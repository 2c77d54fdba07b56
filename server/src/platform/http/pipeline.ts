import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests (RFC 9112, 9.3.2): bounded, because a client can send far more of them than it reads responses. */

const pipelineLimits = {
  /** Waiting requests of a connection beyond which it is not read. Those that have been received already still wait. */
  waiting: 16,
  /** Waiting requests of all connections, beyond which a connection that adds to them is closed. */
  waiting_in_all: 20_000,
  /** Waiting requests that are started in one turn of the event loop, of all connections together. */
  started_per_turn: 4,
} as const
type PipelineLimits = { readonly [K in keyof typeof pipelineLimits]: number }

type Exchange = readonly [IncomingMessage, ServerResponse]

interface Line {
  busy: boolean
  waiting: Exchange[]
}

/**
 * Passes the requests of a connection to the listener one after another, each when the response before it has been sent. So there
 * are never unsent bytes of more than one response, a client that does not read has nothing done for it, and one that sends many
 * requests takes turns with all others.
 */
export function oneAtATime(listener: RequestListener, limits: PipelineLimits = pipelineLimits): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  let waiting_in_all = 0
  /** Connections whose next request may start; each at most once. */
  const queue: (() => void)[] = []
  const startSome = () => {
    const some = queue.splice(0, limits.started_per_turn)
    if (queue.length > 0) setImmediate(startSome)
    for (const begin of some) begin()
  }
  // a few in each turn of the event loop, or hundreds of them would be served before any other connection is read
  const startLater = (begin: () => void) => {
    if (queue.push(begin) === 1) setImmediate(startSome)
  }

  const start = (line: Line, [request, response]: Exchange) => {
    line.busy = true
    response.once('close', () => next(line, request.socket))
    listener(request, response)
  }
  const next = (line: Line, socket: Socket) => {
    line.busy = false
    const exchange = socket.destroyed ? undefined : line.waiting.shift()
    if (!exchange) return
    waiting_in_all -= 1
    if (line.waiting.length === limits.waiting - 1) resumeReading(socket)
    line.busy = true
    startLater(() => {
      if (!socket.destroyed) start(line, exchange)
    })
  }
  const newLine = (socket: Socket): Line => {
    const line: Line = { busy: false, waiting: [] }
    lines.set(socket, line)
    socket.once('close', () => {
      waiting_in_all -= line.waiting.length
      line.waiting = []
    })
    return line
  }
  return (request, response) => {
    const { socket } = request
    const line = lines.get(socket) ?? newLine(socket)
    if (!line.busy) return start(line, [request, response])
    if (socket.destroyed) return
    line.waiting.push([request, response])
    waiting_in_all += 1
    if (line.waiting.length === limits.waiting) stopReading(socket)
    if (waiting_in_all > limits.waiting_in_all) socket.destroy()
  }
}

/** node:http resumes a socket whenever a request's body is read or discarded, so pausing it alone does not last. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

function resumeReading(socket: Socket): void {
  // the method of the prototype comes back
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}
