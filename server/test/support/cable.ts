import { once } from 'node:events'
import net from 'node:net'
import { after } from 'node:test'

export interface Cable {
  /** The database's address through the cable. */
  url: string
  /** Connections break, new ones are refused. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A way to the database at `url` that can be cut. Only TCP connections to it can be refused, so it is one. */
export async function layCable(url: string): Promise<Cable> {
  const target = new URL(url)
  const folder = target.searchParams.get('host') ?? decodeURIComponent(target.hostname)
  const port = Number(target.port || (target.searchParams.get('port') ?? 5432))
  const ends = new Set<net.Socket>()
  const listener = net.createServer((here) => {
    const there = folder.startsWith('/') ? net.connect(`${folder}/.s.PGSQL.${port}`) : net.connect(port, folder)
    for (const [end, other] of [
      [here, there],
      [there, here],
    ] as const) {
      ends.add(end)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        ends.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address() as net.AddressInfo // it listens on TCP
  const through = new URL(url)
  through.searchParams.delete('host')
  through.searchParams.delete('port')
  through.host = `127.0.0.1:${address.port}`
  const cable: Cable = {
    url: through.href,
    async cut() {
      const closed = once(listener, 'close')
      listener.close()
      for (const end of ends) end.destroy()
      await closed
    },
    async mend() {
      listener.listen(address.port, '127.0.0.1')
      await once(listener, 'listening')
    },
  }
  after(async () => {
    if (listener.listening) await cable.cut()
  })
  return cable
}
