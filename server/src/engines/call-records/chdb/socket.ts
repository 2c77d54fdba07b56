/** The path of the engine's socket, and its heartbeat. */

import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `sun_path` holds 108 bytes including the final NUL (unix(7)). */
const PATH_BYTES = 107

/**
 * Path of the engine's socket for `folder`, which must exist: inside it, or, if that path is too long, in this user's folder
 * under the temporary folder, named by a hash. The same folder always gives the same socket.
 */
export function socketPath(folder: string): string {
  const real = realpathSync(folder)
  const inside = join(real, 'engine.sock')
  if (Buffer.byteLength(inside) <= PATH_BYTES) return inside
  const user = process.getuid?.() ?? 0
  const parent = join(realpathSync(tmpdir()), `demarc-${user}`)
  ensureOwnFolder(parent)
  return join(parent, `${createHash('sha256').update(real).digest('hex').slice(0, 16)}.sock`)
}

/** A folder under /tmp must belong to this user only; otherwise another user could listen on that path. */
function ensureOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? 0)) {
    throw new Error(`${path} belongs to another user, so no socket can be created there. Choose a shorter data folder.`)
  }
  chmodSync(path, 0o700)
}

export type HeartbeatResponse = {
  /** Resident memory of the engine in bytes. */
  rss: number
  /** Requests in progress. */
  busy: number
}

/** `refused`: no engine listens. `unhealthy`: the engine reports it, or drops the connection. */
export type HeartbeatResult = HeartbeatResponse | 'refused' | 'unhealthy'

/** Sends a heartbeat to the engine on `socket`. Returns undefined unless it reports healthy within `timeout_ms`. */
export async function heartbeat(socket: string, timeout_ms: number): Promise<HeartbeatResponse | undefined> {
  const result = await sendHeartbeat(socket, AbortSignal.timeout(Math.round(timeout_ms)))
  return typeof result === 'object' ? result : undefined
}

/** Sends a heartbeat and waits for the result until `signal` aborts. Never rejects. */
export function sendHeartbeat(socket: string, signal: AbortSignal): Promise<HeartbeatResult> {
  return new Promise((resolve) => {
    const outgoing = request({ socketPath: socket, path: '/ping', agent: false, signal }, (response) => {
      response.resume()
      const { 'x-engine-rss': rss, 'x-engine-busy': busy } = response.headers
      resolve(response.statusCode === 200 ? { rss: Number(rss), busy: Number(busy) } : 'unhealthy')
      response.once('error', () => resolve('unhealthy'))
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'refused' : 'unhealthy'),
    )
    outgoing.end()
  })
}
