export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Of the whole request, from the DNS lookup to the last byte. */
  timeout_ms: number
  /** A longer response is an error. */
  max_bytes: number
}

export interface HttpResponse {
  status: number
  body: string
}

/** Sends the request of a remote validator. Rejects without a response; any status is a response, a redirect too. */
export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>

/** Sends by `fetch`. For servers that the operator has configured: their addresses are not restricted. */
export const sendByFetch: SendHttp = async ({ method, url, headers, body, timeout_ms, max_bytes }) => {
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
