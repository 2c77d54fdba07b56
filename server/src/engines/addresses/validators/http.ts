export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Over everything, from the name's lookup to the last byte. */
  timeout_ms: number
  /** A longer answer is a failure. */
  max_bytes: number
}

export interface HttpAnswer {
  status: number
  body: string
}

/** How a remote validator reaches its server. Rejects when no answer came; any status is an answer, a redirect too. */
export type HttpCall = (request: HttpRequest) => Promise<HttpAnswer>

/** `fetch` as such a call. For servers that the operator has configured: it goes wherever the address leads. */
export const callByFetch: HttpCall = async ({ method, url, headers, body, timeout_ms, max_bytes }) => {
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
    ...(body === undefined ? {} : { body }),
  })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > max_bytes) throw new Error(`the answer is longer than ${max_bytes} bytes`)
    chunks.push(chunk)
  }
  return { status: answer.status, body: Buffer.concat(chunks).toString('utf8') }
}
