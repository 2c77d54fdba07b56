import net from 'node:net'

/** Raw TCP, for bytes that no HTTP client would send. */

export interface Target {
  host: string
  port: number
  /** A valid Authorization header value. */
  authorization: string
}

/** The address that attacks come from. */
const hostile_address = '127.0.0.1'

/** An attacker's connection, which expects errors. Received bytes are dropped unless a test reads them. */
export function connect({ host, port }: Target, options: { silent?: boolean } = {}): net.Socket {
  const socket = net.connect({ host, port, localAddress: hostile_address, allowHalfOpen: true })
  socket.on('error', () => undefined)
  if (!options.silent) socket.resume()
  return socket
}

/** Resolves when either side has closed the connection, for any reason. */
export const closed = (socket: net.Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

/** A request's bytes; line endings are sent as given. */
export const head = (line: string, fields: readonly string[], end = '\r\n') => [line, ...fields, '', ''].join(end)

/**
 * Sends the bytes and reads until the server closes the connection. Returns the statuses of its responses and everything that
 * it wrote, or null if it leaves the connection open until the timeout.
 */
export async function exchange(
  target: Target,
  bytes: Buffer,
  timeout_ms: number,
): Promise<{ statuses: number[]; text: string } | null> {
  const socket = connect(target, { silent: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = Promise.race([new Promise<void>((resolve) => socket.once('end', () => resolve())), closed(socket)])
  socket.write(bytes)
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(() => timeout.resolve(null), timeout_ms)
  const outcome = await Promise.race([ended, timeout.promise])
  clearTimeout(timer)
  socket.destroy()
  const text = Buffer.concat(chunks).toString('latin1')
  if (outcome === null) return null
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])), text }
}
