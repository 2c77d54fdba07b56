import { createHash } from 'node:crypto'
import net from 'node:net'
import type { Log } from '../../platform/postgres/log.ts'

/** initdb and the crash recovery of a large database run under the lock, so the wait has no limit but is logged. */
const REPORT_MS = 30_000

/**
 * Runs `fn` while no other process on this machine does so for the same key. The lock is a socket in Linux's abstract
 * namespace. It cannot be stale, because the kernel closes it when its process dies.
 */
export async function withStartLock<T>(key: string, log: Log, fn: () => Promise<T>): Promise<T> {
  const address = `\0demarc-start-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
  let lock = await tryLock(address)
  while (!lock) {
    if (!(await lockReleased(address)))
      log.warn({ folder: key }, 'waiting for another process to start or stop the database')
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
    socket.on('error', () => undefined) // a waiting process that exits does not affect the lock holder
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

/**
 * Resolves to true when the lock holder closes or rejects the connection, and to false if it still holds the lock after
 * REPORT_MS.
 */
function lockReleased(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: address })
    let released = true
    socket.setTimeout(REPORT_MS, () => {
      released = false
      socket.destroy()
    })
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => resolve(released))
    socket.resume()
  })
}
