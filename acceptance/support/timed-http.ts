import http from 'node:http'
import type { Keys } from './service.ts'

/** A request, with the time and outcome of its response. */
export interface Timed {
  /** By performance.now(). */
  began: number
  ms: number
  /** Null if no response came. */
  status: number | null
  headers: http.IncomingHttpHeaders
  body: string
}

export interface Attempt {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export const authorization = ({ access_key, secret_key }: Keys): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`,
})

/**
 * Sends a request and reads the whole response. Its status is null after `give_up_ms` without one, or if the connection is
 * lost.
 */
export function timed(
  agent: http.Agent,
  base_url: string,
  { method, path, headers = {}, body }: Attempt,
  give_up_ms: number,
): Promise<Timed> {
  const began = performance.now()
  return new Promise((resolve) => {
    const end = (status: number | null, received: http.IncomingHttpHeaders, text: string) =>
      resolve({ began, ms: performance.now() - began, status, headers: received, body: text })
    const signal = AbortSignal.timeout(give_up_ms)
    const sent = http.request(new URL(path, base_url), { method, headers, agent, signal })
    sent.once('error', (error) => end(null, {}, error.message))
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.once('end', () => end(response.statusCode ?? null, response.headers, text))
      response.once('error', (error) => end(null, {}, error.message))
    })
    sent.end(body)
  })
}
