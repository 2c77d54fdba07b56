import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Client } from 'undici'
import { inClientSpan } from '../traces/outgoing.ts'
import { pinnedConnector } from './connect.ts'
import { hostOf } from './url.ts'

export interface HopRequest {
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body: Buffer | null
}

export interface Exchange {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
  /** Closes the connection, whatever the state of the body. Safe to call twice. */
  release(): void
}

const MAX_HEADER_BYTES = 16 * 1024

/**
 * Sends one request to one checked host over a new connection. Connections are not reused, because a reused one would skip the
 * next request's check. undici applies proxy settings only in its global dispatcher, which is not used here.
 */
export async function exchange(
  url: URL,
  addresses: readonly string[],
  request: HopRequest,
  signal: AbortSignal,
): Promise<Exchange> {
  const client = new Client(url.origin, {
    connect: pinnedConnector(hostOf(url), addresses, signal),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The signal is the only deadline; undici's own timeouts would report it under other codes.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const release = (): void => {
    void client.destroy()
  }
  try {
    return await inClientSpan(request.method, url, async (trace) => {
      const { statusCode, headers, body } = await client.request({
        path: url.pathname + url.search,
        method: request.method,
        headers: { ...request.headers, ...trace },
        body: request.body,
        signal,
        reset: true,
      })
      // A body destroyed before it is read emits an error, which would be uncaught without a listener.
      body.on('error', () => undefined)
      return { status: statusCode, headers, body, release }
    })
  } catch (error) {
    release()
    throw error
  }
}
