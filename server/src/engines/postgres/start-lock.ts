import { createHash } from 'node:crypto'
import net from 'node:net'

/** initdb and the crash recovery of a large database both run under the lock. */
const WAIT_TIMEOUT_MS = 600_000

/**
 * Runs `fn` while no other process on this machine does so for the same key. The lock is a socket in Linux's abstract
 * namespace, which the kernel closes when its process dies, so that it cannot be stale.
 */
export async function withStartLock<T>(key: string, fn: () => Promise<T>): Promise<T> {
  const address = `\0demarc-start-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
  const deadline = performance.now() + WAIT_TIMEOUT_MS
  let lock = await tryLock(address)
  while (!lock) {
    const left_ms = deadline - performance.now()
    if (left_ms <= 0)
      throw new Error(`Another process has been starting the database in ${key} for ten minutes. End it and try again.`)
    await lockReleased(address, left_ms)
    lock = await tryLock(address)
  }
  try {
    return await fn()
  } finally {
    await lock.release()
  }
}

async function tryLock(address: string): Promise<{ release(): Promise<void> } | undefined> {
  const waiting = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    waiting.add(socket)
    socket.on('error', () => undefined) // a waiting process that exits does not affect the one with the lock
    socket.on('close', () => waiting.delete(socket))
  })
  const acquired = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ path: address }, () => resolve(true))
  })
  if (!acquired) return undefined
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of waiting) socket.destroy()
      }),
  }
}

/** Resolves when the process with the lock closes or refuses the connection, or at the timeout. */
function lockReleased(address: string, timeout_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: address })
    socket.setTimeout(timeout_ms, () => socket.destroy())
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => resolve())
    socket.resume()
  })
}
