import { once } from 'node:events'
import net from 'node:net'

/** Bytes on a socket: what no HTTP client would send. */

export interface RawAnswer {
  status: number
  /** Lower-case names; the last of a name that stands there twice. */
  headers: Record<string, string>
  body: string
}

/** Longest wait for the other side to end; the server's own limits are far below. */
const patience_ms = 20_000

/**
 * Writes the pieces one after another and reads until the server closes the connection. Ask for `Connection: close` in the last
 * request, unless the server is to close by itself. Answers everything that came back, one entry per HTTP answer.
 */
export async function exchange(base_url: string, ...pieces: readonly (string | Buffer)[]): Promise<RawAnswer[]> {
  return readAnswers(await exchangeBytes(base_url, ...pieces))
}

async function exchangeBytes(base_url: string, ...pieces: readonly (string | Buffer)[]): Promise<Buffer> {
  const { hostname, port } = new URL(base_url)
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.setTimeout(patience_ms, () => socket.destroy(new Error('the server left the connection open')))
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(socket, 'end')
  for (const piece of pieces) {
    // a server that has said all it will say may close while we still write
    if (!socket.writable) break
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
  }
  await ended
  socket.destroy()
  return Buffer.concat(chunks)
}

/** A request's bytes. `Content-Length` is added for a body; everything else stands there as given. */
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

/** Splits what came back into answers, by Content-Length and chunks. Interim answers (1xx) are left out. */
function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`not an HTTP answer: ${rest.toString('latin1').slice(0, 200)}`)
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
    const taken =
      headers['transfer-encoding'] === 'chunked' ? unchunk(rest) : plain(rest, status, headers['content-length'])
    answers.push({ status, headers, body: taken.body.toString('utf8') })
    rest = taken.rest
  }
  return answers
}

function plain(bytes: Buffer, status: number, length: string | undefined): { body: Buffer; rest: Buffer } {
  const end = status === 204 || status === 304 ? 0 : Number(length ?? bytes.length)
  return { body: bytes.subarray(0, end), rest: bytes.subarray(end) }
}

function unchunk(bytes: Buffer): { body: Buffer; rest: Buffer } {
  const parts: Buffer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, end).toString('latin1'), 16)
    const chunk = rest.subarray(end + 2, end + 2 + size)
    rest = rest.subarray(end + 2 + size + 2)
    if (!(size > 0)) return { body: Buffer.concat(parts), rest }
    parts.push(chunk)
  }
}
