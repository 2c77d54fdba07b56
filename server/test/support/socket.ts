import { once } from 'node:events'
import net from 'node:net'

/** Raw bytes on a socket, for what no HTTP client would send. */

export interface RawResponse {
  status: number
  /** Lower-case names; of a repeated header, the last value. */
  headers: Record<string, string>
  body: string
}

/** Longest wait for the server to close; its own timeouts are far shorter. */
const timeout_ms = 20_000

/**
 * Writes the pieces one after another and reads until the server closes the connection. Ask for `Connection: close` in the last
 * request, unless the server is to close by itself. Returns all responses.
 */
export async function exchange(base_url: string, ...pieces: readonly (string | Buffer)[]): Promise<RawResponse[]> {
  return readResponses(await exchangeBytes(base_url, ...pieces))
}

async function exchangeBytes(base_url: string, ...pieces: readonly (string | Buffer)[]): Promise<Buffer> {
  const { hostname, port } = new URL(base_url)
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.setTimeout(timeout_ms, () => socket.destroy(new Error('the server left the connection open')))
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(socket, 'end')
  for (const piece of pieces) {
    // a server may close after an early response while we still write
    if (!socket.writable) break
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
  }
  await ended
  socket.destroy()
  return Buffer.concat(chunks)
}

/** A request's bytes. `Content-Length` is added for a body; everything else is sent as given. */
export function requestBytes(
  line: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
): Buffer {
  const fields = { host: 'demarc.test', ...headers }
  if (body !== undefined && !('transfer-encoding' in fields) && !('content-length' in fields))
    Object.assign(fields, { 'content-length': String(Buffer.byteLength(body)) })
  const lines = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
  const head = `${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')])
}

/** Splits the bytes into responses, by Content-Length and chunks. Interim responses (1xx) are left out. */
function readResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`not an HTTP response: ${rest.toString('latin1').slice(0, 200)}`)
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    rest = rest.subarray(end + 4)
    if (status < 200) continue
    const message =
      headers['transfer-encoding'] === 'chunked' ? unchunk(rest) : plain(rest, status, headers['content-length'])
    responses.push({ status, headers, body: message.body.toString('utf8') })
    rest = message.rest
  }
  return responses
}

function plain(bytes: Buffer, status: number, length: string | undefined): { body: Buffer; rest: Buffer } {
  const end = status === 204 || status === 304 ? 0 : Number(length ?? bytes.length)
  return { body: bytes.subarray(0, end), rest: bytes.subarray(end) }
}

function unchunk(bytes: Buffer): { body: Buffer; rest: Buffer } {
  const chunks: Buffer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, end).toString('latin1'), 16)
    const chunk = rest.subarray(end + 2, end + 2 + size)
    rest = rest.subarray(end + 2 + size + 2)
    if (!(size > 0)) return { body: Buffer.concat(chunks), rest }
    chunks.push(chunk)
  }
}
