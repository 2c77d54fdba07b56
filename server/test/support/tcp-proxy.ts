import { once } from 'node:events'
import net from 'node:net'
import { after } from 'node:test'

export interface TcpProxy {
  /** The database's URL through the proxy. */
  url: string
  /** Closes all connections and refuses new ones. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Holds back what the server sends, as a hanging server would, or lets it through. */
  mute(muted: boolean): void
  /** Loses the connection of the next COMMIT. */
  loseCommit(fate: CommitFate): void
}

/**
 * `unsent`: before it reaches the server. `withheld`: likewise, and the server doesn't notice. `unanswered`: after the server
 * has responded. `down`: likewise, and the proxy disconnects.
 */
export type CommitFate = 'unsent' | 'withheld' | 'unanswered' | 'down'

/** A TCP proxy to the database at `url` that can be disconnected. A Unix socket could not refuse connections. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const connectUpstream = upstreamOf(url)
  const sockets = new Set<net.Socket>()
  const upstreams = new Set<net.Socket>()
  let fate: CommitFate | null = null
  let muted = false
  const lose = (how: CommitFate, client: net.Socket, upstream: net.Socket, commit: Buffer) => {
    if (how === 'unsent') return client.destroy()
    upstream.removeAllListeners('data')
    if (how === 'withheld') return client.removeAllListeners('close').destroy()
    upstream.once('data', () => (how === 'down' ? void proxy.disconnect() : client.destroy()))
    upstream.resume().write(commit)
  }
  const listener = net.createServer((client) => {
    const upstream = connectUpstream()
    endTogether(client, upstream, sockets)
    upstream.on('data', (chunk) => void client.write(chunk))
    if (muted) upstream.pause()
    upstreams.add(upstream)
    upstream.on('close', () => upstreams.delete(upstream))
    client.on('data', (chunk) => {
      const how = chunk.includes('commit\0') ? fate : null
      if (how === null) return void upstream.write(chunk)
      fate = null
      lose(how, client, upstream, chunk)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address() as net.AddressInfo // it listens on TCP
  const proxy: TcpProxy = {
    url: throughPort(url, address.port),
    async disconnect() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async reconnect() {
      listener.listen(address.port, '127.0.0.1')
      await once(listener, 'listening')
    },
    loseCommit: (how) => (fate = how),
    mute(now) {
      muted = now
      for (const upstream of upstreams) {
        if (now) upstream.pause()
        else upstream.resume()
      }
    },
  }
  after(async () => {
    if (listener.listening) await proxy.disconnect()
  })
  return proxy
}

function endTogether(client: net.Socket, upstream: net.Socket, sockets: Set<net.Socket>): void {
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(socket)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
}

/** Connects to the server of a database's URL. */
function upstreamOf(url: string): () => net.Socket {
  const target = new URL(url)
  const folder = target.searchParams.get('host') ?? decodeURIComponent(target.hostname)
  const port = Number(target.port || (target.searchParams.get('port') ?? 5432))
  return () => (folder.startsWith('/') ? net.connect(`${folder}/.s.PGSQL.${port}`) : net.connect(port, folder))
}

function throughPort(url: string, port: number): string {
  const through = new URL(url)
  through.searchParams.delete('host')
  through.searchParams.delete('port')
  through.host = `127.0.0.1:${port}`
  return through.href
}
