import { connect } from 'node:net'

/** Closed-loop HTTP load over plain keep-alive sockets: the load generator must cost less than the server it measures. */
export interface LoadResult {
  requests: number
  errors: number
  requests_per_s: number
  /** The fastest tenth: the time of a request that waits for nothing else. */
  p10_ms: number
  p50_ms: number
  p99_ms: number
}

export async function load(options: {
  port: number
  request: (i: number) => string
  connections: number
  duration_s: number
  /** Any other status counts as an error. */
  accepted?: number
  until?: AbortSignal
  requests_max?: number
}): Promise<LoadResult> {
  const { port, request, connections, duration_s, accepted = 200, until, requests_max } = options
  const expected_head = Buffer.from(`HTTP/1.1 ${accepted}`)
  const times: number[] = []
  let errors = 0
  let sent = 0
  const began = performance.now()
  const end = began + duration_s * 1000
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let started = 0
      let pending = Buffer.alloc(0)
      const next = () => {
        if (performance.now() >= end || until?.aborted || sent === requests_max) {
          socket.end()
          return resolve()
        }
        started = performance.now()
        socket.write(request(sent++))
      }
      socket.setNoDelay(true)
      socket.on('connect', next)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const length = responseLength(pending)
        if (length === null || pending.length < length) return
        if (!pending.subarray(0, 12).equals(expected_head)) errors++
        pending = pending.subarray(length)
        times.push(performance.now() - started)
        next()
      })
    })
  await Promise.all(Array.from({ length: connections }, run))
  const requests_per_s = times.length / ((performance.now() - began) / 1000)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { requests: times.length, errors, requests_per_s, p10_ms: at(0.1), p50_ms: at(0.5), p99_ms: at(0.99) }
}

/** Length of the first response in the buffer, headers and body; null until its headers are complete. */
function responseLength(buffer: Buffer): number | null {
  const head = buffer.indexOf('\r\n\r\n')
  if (head < 0) return null
  const headers = buffer.subarray(0, head).toString('latin1')
  if (/transfer-encoding: chunked/i.test(headers)) {
    const last = buffer.indexOf('\r\n0\r\n\r\n', head)
    return last < 0 ? null : last + 7
  }
  return head + 4 + Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0)
}
