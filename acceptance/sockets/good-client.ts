import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * An ordinary client in a separate process, so that only the service can delay it: two tasks that keep their connection, one of
 * which writes and reads back what it wrote, and one that opens a new connection for each request. Runs until it is stopped.
 */

export interface GoodClientInput {
  base_url: string
  authorization: string
  /** A number of the account that nothing else changes. */
  number: string
}

export interface GoodClientResult {
  latencies_ms: number[]
  /** One sentence per failure. */
  failures: string[]
  /** Acknowledged writes that were missing when read back. */
  lost: number
}

/** A different address than the attacks use. */
const localAddress = '127.0.0.2'
/** Only a hang takes this long. */
const timeout_ms = 60_000
/** Keeps the three tasks below a key's rate limit. */
const pause_ms = 50

// the options that the test passes
const { base_url, authorization, number } = JSON.parse(process.argv[2] ?? '') as GoodClientInput
const result: GoodClientResult = { latencies_ms: [], failures: [], lost: 0 }
const end = new AbortController()
process.once('message', () => end.abort())
// the test was killed
process.once('disconnect', () => end.abort())

async function request(agent: http.Agent, method: string, path: string, body?: string): Promise<unknown> {
  await sleep(pause_ms)
  const began = performance.now()
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  try {
    const sent = http.request(base_url + path, { agent, method, headers, localAddress, timeout: timeout_ms })
    sent.once('timeout', () => sent.destroy(new Error(`no response within ${timeout_ms} ms`)))
    const responded = once(sent, 'response')
    sent.end(body)
    // the event's one argument, as node:http documents it
    const [response] = (await responded) as [http.IncomingMessage]
    const received = await text(response)
    result.latencies_ms.push(performance.now() - began)
    if (response.statusCode === 200) return JSON.parse(received)
    result.failures.push(`${method} ${path}: ${response.statusCode} ${received.slice(0, 300)}`)
  } catch (error) {
    result.failures.push(`${method} ${path}: ${String(error)}`)
  }
  return null
}

const reads = ['/v2/whoami', '/v2/numbers?limit=5', '/v2/cnams', '/v2/portorders?limit=5', '/health/live']

async function read(agent: http.Agent): Promise<void> {
  for (let i = 0; !end.signal.aborted; i++) await request(agent, 'GET', reads[i % reads.length] ?? '/v2/whoami')
}

async function write(agent: http.Agent): Promise<void> {
  const path = `/v2/numbers/${number}`
  for (let i = 0; !end.signal.aborted; i++) {
    const alias = `Line ${i} of ${Date.now()}`
    const body = JSON.stringify({ data: { type: 'number', id: number, attributes: { alias } } })
    if ((await request(agent, 'PATCH', path, body)) === null) continue
    const found = await request(agent, 'GET', path)
    if (found !== null && !JSON.stringify(found).includes(alias)) result.lost += 1
  }
}

const kept = new http.Agent({ keepAlive: true })
const fresh = new http.Agent({ keepAlive: false })
await Promise.all([read(kept), write(kept), read(fresh)])
kept.destroy()
if (process.connected) {
  process.send?.(result)
  process.disconnect()
}
