import { inClientSpan } from '../../../platform/traces/outgoing.ts'

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** For the whole request, from the DNS lookup to the last byte. */
  timeout_ms: number
  /** A longer response is an error. */
  max_bytes: number
}

export interface HttpResponse {
  status: number
  body: string
}

/** Sends a request to a remote validator. Rejects if there is no response; any status, even a redirect, is a response. */
export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>

/** Sends with `fetch`, to servers configured by the operator; their addresses are not restricted. */
export const sendByFetch: SendHttp = (request) =>
  inClientSpan(request.method, new URL(request.url), (trace) =>
    send({ ...request, headers: { ...request.headers, ...trace } }),
  )

const send: SendHttp = async ({ method, url, headers, body, timeout_ms, max_bytes }) => {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
    ...(body === undefined ? {} : { body }),
  })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > max_bytes) throw new Error(`the response is longer than ${max_bytes} bytes`)
    chunks.push(chunk)
  }
  return { status: response.status, body: Buffer.concat(chunks).toString('utf8') }
}
