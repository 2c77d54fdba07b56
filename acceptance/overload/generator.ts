import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { timed, type Timed } from '../support/timed-http.ts'
import { nth, type Target } from './mix.ts'
import { Tally, type Summary } from './tally.ts'

/**
 * Sends the mix from a separate process, so that nothing else delays its measurements. An open loop sends at a constant rate
 * regardless of the responses; latency counts from the time a request was due.
 */

export interface Load {
  base_url: string
  targets: Target[]
  seconds: number
  /** Requests per second; in a closed loop, the number of clients, each of which waits for its response. */
  pace: { rate: number } | { clients: number }
}

/** A slower response counts as missing. */
const give_up_ms = 30_000
const tick_ms = 5
/**
 * Keep-alive connections. A request waits here for a free one, and the wait counts. All are opened before the measurement: Node
 * accepts one per turn of its event loop, so under load that takes as many turns as there are connections.
 */
const sockets_max = 2_000

process.once('message', (load: Load) => {
  void run(load).then((summary) => process.send?.(summary, undefined, undefined, () => process.disconnect()))
})

/** Tells the parent when all connections are open and the measurement begins. */
async function run({ base_url, targets, seconds, pace }: Load): Promise<Summary> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: sockets_max, maxFreeSockets: sockets_max })
  const live = { method: 'GET', path: '/health/live' }
  await Promise.all(Array.from({ length: sockets_max }, () => timed(agent, base_url, live, give_up_ms)))
  process.send?.('connected')
  const tally = new Tally()
  let n = 0
  const one = async (due: number): Promise<Timed> => {
    n += 1
    const { name, attempt } = nth(targets, n)
    const seen = await timed(agent, base_url, attempt, give_up_ms)
    tally.add(name, seen, seen.began + seen.ms - due)
    return seen
  }
  const began = performance.now()
  const end = began + seconds * 1000
  if ('clients' in pace) {
    const client = async () => {
      while (performance.now() < end) await one(performance.now())
    }
    await Promise.all(Array.from({ length: pace.clients }, client))
  } else await atRate(pace.rate, began, end, one)
  agent.destroy()
  return tally.summary((performance.now() - began) / 1000)
}

async function atRate(rate: number, began: number, end: number, one: (due: number) => Promise<Timed>): Promise<void> {
  const open = new Set<Promise<Timed>>()
  for (let sent = 0; performance.now() < end; await sleep(tick_ms))
    for (const due_by = ((performance.now() - began) * rate) / 1000; sent < due_by; sent += 1) {
      const request = one(began + (sent * 1000) / rate)
      open.add(request)
      void request.then(() => open.delete(request))
    }
  await Promise.all(open)
}
