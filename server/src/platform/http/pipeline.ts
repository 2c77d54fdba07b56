import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Limits pipelined requests (RFC 9112, 9.3.2): a client can send far more of them than it reads responses. */

const pipelineLimits = {
  /** Reading pauses when a connection has this many waiting requests. Requests already received still wait. */
  waiting: 16,
  /** Beyond this many waiting requests on all connections, a connection that adds another is closed. */
  waiting_in_all: 20_000,
  /** Waiting requests started per turn of the event loop, across all connections. */
  started_per_turn: 1,
  /**
   * While connections arrive, this many turns pass before the next one starts. Node accepts one connection per turn, so that the
   * queue of new connections is only as fast as the turns are short.
   */
  turns_for_arrivals: 64,
} as const
type PipelineLimits = { readonly [K in keyof typeof pipelineLimits]: number }

interface Surroundings {
  /** Called with each connection that is closed because too many requests wait, before it is closed. */
  onFull: (socket: Socket) => void
  /** How many connections have arrived. */
  arrived: () => number
}

type Exchange = readonly [IncomingMessage, ServerResponse]

interface Line {
  busy: boolean
  waiting: Exchange[]
}

/**
 * Passes a connection's requests to the listener one at a time, each after the previous response was sent. This bounds unsent
 * bytes to one response, does no work for a client that stops reading, and makes a client that sends many requests take turns
 * with the others.
 */
export function oneAtATime(
  listener: RequestListener,
  { onFull, arrived }: Surroundings,
  limits: PipelineLimits = pipelineLimits,
): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  let waiting_in_all = 0
  const startLater = inLaterTurns(limits, arrived)

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
    socket.once('close', () => dropWaiting(line))
    return line
  }
  const dropWaiting = (line: Line) => {
    waiting_in_all -= line.waiting.length
    line.waiting = []
  }
  return (request, response) => {
    const { socket } = request
    const line = lines.get(socket) ?? newLine(socket)
    if (!line.busy) return start(line, [request, response])
    if (socket.destroyed) return
    line.waiting.push([request, response])
    waiting_in_all += 1
    if (line.waiting.length === limits.waiting) stopReading(socket)
    if (waiting_in_all <= limits.waiting_in_all) return
    onFull(socket)
    socket.destroy()
    // not on the close event: until then, requests of other connections would exceed the limit too
    dropWaiting(line)
  }
}

/**
 * Starts waiting requests in later turns of the event loop, a few in each: starting hundreds in one turn would delay reading from
 * other connections.
 */
function inLaterTurns(limits: PipelineLimits, arrived: () => number): (begin: () => void) => void {
  /** Connections whose next request may start; each appears at most once. */
  const queue: (() => void)[] = []
  let arrived_before = arrived()
  let turns = 0
  const startSome = () => {
    const arrived_now = arrived()
    turns = arrived_now === arrived_before ? limits.turns_for_arrivals : turns + 1
    arrived_before = arrived_now
    if (turns < limits.turns_for_arrivals) return void setImmediate(startSome)
    turns = 0
    const some = queue.splice(0, limits.started_per_turn)
    if (queue.length > 0) setImmediate(startSome)
    for (const begin of some) begin()
  }
  return (begin) => {
    if (queue.push(begin) === 1) setImmediate(startSome)
  }
}

/** node:http resumes a socket whenever it reads or discards a request body, so `pause()` alone does not last. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

function resumeReading(socket: Socket): void {
  // restores the prototype's method
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}
