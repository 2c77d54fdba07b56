/** Where an engine listens, and whether one does. */

import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `sun_path` holds 108 bytes with its final NUL (unix(7)). */
const PATH_BYTES = 107

/**
 * The socket of the engine over `folder`, which must exist: inside it, or, where that path is too long, in a folder of ours under the
 * temporary one, named by a hash. Every process that names the same folder gets the same socket.
 */
export function socketPath(folder: string): string {
  const real = realpathSync(folder)
  const inside = join(real, 'engine.sock')
  if (Buffer.byteLength(inside) <= PATH_BYTES) return inside
  const user = process.getuid?.() ?? 0
  const parent = join(realpathSync(tmpdir()), `demarc-${user}`)
  ownFolder(parent)
  return join(parent, `${createHash('sha256').update(real).digest('hex').slice(0, 16)}.sock`)
}

/** A folder under /tmp must be ours alone, or another user could listen in our place. */
function ownFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? 0)) {
    throw new Error(`${path} belongs to somebody else, so no socket can be put there. Choose a shorter data folder.`)
  }
  chmodSync(path, 0o700)
}

export type Pulse = {
  /** Resident memory of the engine, bytes. */
  rss: number
  /** Requests that it is working on. */
  busy: number
}

/** Asks the engine on `socket` whether it is well; undefined if it does not say so within `timeout_ms`. */
export function pulse(socket: string, timeout_ms: number): Promise<Pulse | undefined> {
  return new Promise((resolve) => {
    const asked = request(
      { socketPath: socket, path: '/ping', agent: false, signal: AbortSignal.timeout(timeout_ms) },
      (answer) => {
        answer.resume()
        const { 'x-engine-rss': rss, 'x-engine-busy': busy } = answer.headers
        resolve(answer.statusCode === 200 ? { rss: Number(rss), busy: Number(busy) } : undefined)
        answer.once('error', () => resolve(undefined))
      },
    )
    // Whatever the reason, there was no answer.
    asked.once('error', () => resolve(undefined))
    asked.end()
  })
}
