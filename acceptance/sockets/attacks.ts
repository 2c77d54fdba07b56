import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closed, connect, exchange, head, type Target } from './raw.ts'
import { shapes } from './shapes.ts'

/** The size of each attack. */
export interface Scale {
  /** Number of concurrent silent connections. */
  silent: number
  /** Number of slow or flooding connections. */
  slow: number
}

/** Attacks until it is stopped; counts the connections that it opened. */
export type Attack = (target: Target, scale: Scale, ended: AbortSignal) => Promise<number>

const drip_ms = 50

/** Keeps this many connections open and replaces those that the service closes. Runs `begin` on each. */
async function keepOpen(
  count: number,
  ended: AbortSignal,
  open: () => Socket,
  begin: (socket: Socket) => void = () => undefined,
): Promise<number> {
  let made = 0
  const one = async () => {
    while (!ended.aborted) {
      made += 1
      const socket = open()
      const gone = closed(socket)
      // the service has closed the connection
      socket.once('end', () => socket.destroy())
      begin(socket)
      await Promise.race([gone, aborted(ended)])
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: count }, one))
  return made
}

/** One listener for everything that waits for the end. */
const ends = new WeakMap<AbortSignal, Promise<unknown>>()
function aborted(signal: AbortSignal): Promise<unknown> {
  const known = ends.get(signal) ?? once(signal, 'abort')
  ends.set(signal, known)
  return known
}

/** Writes bytes one by one, slowly, while the connection is open. */
function drip(bytes: string): (socket: Socket) => void {
  return (socket) => {
    let at = 0
    const timer = setInterval(() => socket.write(bytes[at++ % bytes.length] ?? ''), drip_ms)
    socket.once('close', () => clearInterval(timer))
  }
}

const withHead = (text: string, then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(text)
  then(socket)
}

/** Floods the connection with requests, as fast as the service reads them. */
const flood = (text: string) => (socket: Socket) => {
  const much = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
  const write = () => {
    while (!socket.destroyed && socket.write(much)) continue
  }
  socket.on('drain', write)
  write()
}

const requestOf = (authorization: string, line: string, ...fields: string[]) =>
  head(`${line} HTTP/1.1`, ['Host: demarc.test', `Authorization: ${authorization}`, ...fields])

const silent: Attack = (target, scale, ended) => keepOpen(scale.silent, ended, () => connect(target))

const slowHeads: Attack = (target, scale, ended) =>
  keepOpen(scale.slow, ended, () => connect(target), drip('GET /v2/whoami HTTP/1.1\r\nHost: demarc.test\r\nX-A: '))

const slowBodies: Attack = async (target, scale, ended) => {
  const of = (line: string, type: string) =>
    requestOf(target.authorization, line, `Content-Type: ${type}`, 'Content-Length: 100000')
  const [small, stored] = [of('POST /v2/cnams', 'application/json'), of('POST /v2/e911s/validations', 'text/csv')]
  const half = Math.ceil(scale.slow / 2)
  const made = await Promise.all(
    [small, stored].map((text) => keepOpen(half, ended, () => connect(target), withHead(text, drip('a')))),
  )
  return made.reduce((sum, each) => sum + each, 0)
}

/** Half of them never read a response. */
const pipelined: Attack = async (target, scale, ended) => {
  const lines = ['GET /openapi.json', 'GET /v2/numbers?limit=200', 'GET /health/live', 'GET /nowhere']
  const count = Math.ceil(scale.slow / 20)
  const made = await Promise.all(
    lines.flatMap((line) =>
      [true, false].map((unread) =>
        keepOpen(count, ended, () => connect(target, { silent: unread }), flood(requestOf(target.authorization, line))),
      ),
    ),
  )
  return made.reduce((sum, each) => sum + each, 0)
}

/** Half-closes right after a request, within one, or before any; or resets. */
const halfClosed: Attack = async (target, scale, ended) => {
  const complete = requestOf(target.authorization, 'GET /v2/numbers?limit=200')
  const body = requestOf(target.authorization, 'POST /v2/cnams', 'Content-Type: application/json', 'Content-Length: 99')
  let made = 0
  const one = async (kind: number) => {
    for (let i = kind; !ended.aborted; i++) {
      made += 1
      const socket = connect(target)
      const gone = closed(socket)
      const text = [complete, complete.slice(0, 40), `${body}{"data"`, ''][i % 4] ?? ''
      if (i % 8 < 4) socket.end(text)
      else socket.write(text, () => socket.resetAndDestroy())
      // the service may wait for the rest of a body; this client doesn't
      await Promise.race([gone, sleep(500)])
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: Math.ceil(scale.slow / 10) }, (_, i) => one(i)))
  return made
}

const ambiguous: Attack = async (target, scale, ended) => {
  const all = shapes(target)
  let made = 0
  const one = async (first: number) => {
    for (let i = first; !ended.aborted; i++) {
      const shape = all[i % all.length]
      if (!shape) continue
      made += 1
      await exchange(target, shape.bytes, 10_000)
    }
  }
  await Promise.all(Array.from({ length: Math.ceil(scale.slow / 10) }, (_, i) => one(i)))
  return made
}

const everything: Attack = async (target, { silent: connections, slow }, ended) => {
  const less = { silent: Math.ceil(connections / 2), slow: Math.ceil(slow / 4) }
  const all = [silent, slowHeads, slowBodies, pipelined, halfClosed, ambiguous]
  const made = await Promise.all(all.map((attack) => attack(target, less, ended)))
  return made.reduce((sum, each) => sum + each, 0)
}

export const attacks: Record<string, Attack> = {
  'Nothing, for comparison': async (_target, _scale, ended) => {
    await aborted(ended)
    return 0
  },
  'Silent connections from one address': silent,
  'Heads that arrive byte by byte': slowHeads,
  'Bodies that arrive byte by byte': slowBodies,
  'Endless pipelined requests, half of them never read': pipelined,
  'Half-closed and reset connections': halfClosed,
  'Requests with ambiguous framing': ambiguous,
  'All of them at once': everything,
}
