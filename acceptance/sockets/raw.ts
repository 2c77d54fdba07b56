import net from 'node:net'

/** Raw TCP, for what no HTTP client would send. */

export interface Target {
  host: string
  port: number
  /** The value of an Authorization header that is good. */
  authorization: string
}

/** The address that attacks come from. */
const hostile_address = '127.0.0.1'

/** An attacker's connection, which expects errors. What it receives is dropped unless a test reads it. */
export function connect({ host, port }: Target, options: { silent?: boolean } = {}): net.Socket {
  const socket = net.connect({ host, port, localAddress: hostile_address, allowHalfOpen: true })
  socket.on('error', () => undefined)
  if (!options.silent) socket.resume()
  return socket
}

/** Resolves when the connection is closed, by whomever and however. */
export const closed = (socket: net.Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

/** A request's bytes; lines end as given. */
export const head = (line: string, fields: readonly string[], end = '\r\n') => [line, ...fields, '', ''].join(end)

/**
 * Sends the bytes and reads until the server closes the connection. Gives the statuses of its responses and all that it wrote;
 * null when it leaves the connection open for so long.
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
