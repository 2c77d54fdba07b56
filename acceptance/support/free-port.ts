import { createServer } from 'node:net'

const given = new Set<number>()

/**
 * A TCP port of this machine on which nothing listens, another one each time. Below the ephemeral ports, so that no connection takes
 * it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (given.has(port)) continue
    given.add(port)
    const server = createServer()
    const is_free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!is_free) continue
    await new Promise<void>((resolve) => server.close(() => resolve()))
    return port
  }
}
