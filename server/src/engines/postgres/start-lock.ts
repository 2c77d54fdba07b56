import { createHash } from 'node:crypto'
import net from 'node:net'

/** Creating a data folder and recovering a large one after a crash both happen under the lock. */
const LONGEST_WAIT_MS = 600_000

/**
 * Runs `fn` while no other process on this machine does so for the same key. The lock is a socket in Linux's abstract
 * namespace, which the kernel frees when its holder dies, so that it can never be left behind.
 */
export async function withStartLock<T>(key: string, fn: () => Promise<T>): Promise<T> {
  const address = `\0demarc-start-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
  const deadline = performance.now() + LONGEST_WAIT_MS
  let lock = await tryLock(address)
  while (!lock) {
    const left_ms = deadline - performance.now()
    if (left_ms <= 0)
      throw new Error(`Another process has been starting the database in ${key} for ten minutes. End it and try again.`)
    await holderGone(address, left_ms)
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
    socket.on('error', () => undefined) // a waiter that goes away is no concern of the holder
    socket.on('close', () => waiting.delete(socket))
  })
  const held = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ path: address }, () => resolve(true))
  })
  if (!held) return undefined
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of waiting) socket.destroy()
      }),
  }
}

/** Resolves when the holder closes or refuses the connection, or when the time is up. */
function holderGone(address: string, timeout_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: address })
    socket.setTimeout(timeout_ms, () => socket.destroy())
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => resolve())
    socket.resume()
  })
}
