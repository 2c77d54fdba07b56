import { readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { descendantsOf } from '../support/processes.ts'

/** A service's embedded PostgreSQL, as a machine's administrator sees it: processes, socket, and settings. */
export class EmbeddedDatabase {
  readonly #cluster: string

  constructor(data: string) {
    this.#cluster = path.join(data, 'postgres', 'cluster')
  }

  /** Its pid; undefined while it isn't running. */
  postmaster(): number | undefined {
    const pid = Number(this.#line(0))
    return pid > 0 ? pid : undefined
  }

  /** The postmaster and every process of the server. */
  processes(): number[] {
    return descendantsOf(this.postmaster() ?? 0).map(({ pid }) => pid)
  }

  /** Opens sessions until the server has none left. Returns a function that closes them. */
  async takeAllConnections(): Promise<() => void> {
    const sessions: Session[] = []
    try {
      for (;;) sessions.push(await this.#session())
    } catch (error) {
      if (!(error instanceof ServerError && error.code === '53300')) throw error
    }
    return () => {
      for (const session of sessions) session.close()
    }
  }

  /** Makes a server read-only or writable, as an administrator does. */
  async setReadOnly(read_only: boolean): Promise<void> {
    const session = await this.#session()
    await session.run(
      `alter system ${read_only ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
    )
    await session.run('select pg_reload_conf()')
    session.close()
  }

  #session(): Promise<Session> {
    return Session.open(path.join(this.#line(4), `.s.PGSQL.${this.#line(3)}`))
  }

  /** Fields of postmaster.pid: pid, data folder, start time, port, socket folder. */
  #line(n: number): string {
    const file = path.join(this.#cluster, 'postmaster.pid')
    try {
      return readFileSync(file, 'utf8').split('\n')[n]?.trim() ?? ''
    } catch (error) {
      // a server that ends or starts meanwhile has none
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
      throw error
    }
  }
}

class ServerError extends Error {
  readonly code: string
  constructor(code: string, text: string) {
    super(`${code}: ${text}`)
    this.code = code
  }
}

const PROTOCOL = 196_608
const timeout_ms = 10_000

/** The subset of PostgreSQL's protocol for statements without a result; https://www.postgresql.org/docs/current/protocol.html */
class Session {
  readonly #socket: net.Socket
  #received = Buffer.alloc(0)

  static async open(socket_file: string): Promise<Session> {
    const session = new Session(net.connect(socket_file))
    const parameters = Buffer.from('user\0postgres\0database\0demarc\0\0')
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + parameters.length, 0)
    head.writeUInt32BE(PROTOCOL, 4)
    session.#socket.write(Buffer.concat([head, parameters]))
    await session.#ready()
    return session
  }

  private constructor(socket: net.Socket) {
    this.#socket = socket
    // an idle session gets this error when its server ends
    socket.on('error', () => undefined)
  }

  async run(sql: string): Promise<void> {
    const text = Buffer.from(`${sql}\0`)
    const head = Buffer.from('Q\0\0\0\0')
    head.writeUInt32BE(4 + text.length, 1)
    this.#socket.write(Buffer.concat([head, text]))
    await this.#ready()
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Resolves when the server is ready for the next statement. Rejects with the server's error. */
  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error) => {
        this.#socket.off('data', read).off('close', closed).setTimeout(0)
        if (error) this.#socket.destroy()
        if (error) reject(error)
        else resolve()
      }
      const closed = () => end(new Error('the server closed the connection'))
      const read = (bytes: Buffer) => {
        this.#received = Buffer.concat([this.#received, bytes])
        for (let message = this.#next(); message !== undefined; message = this.#next())
          if (message.type === 'E') return end(errorOf(message.content))
          else if (message.type === 'Z') return end()
      }
      this.#socket.on('data', read).on('close', closed)
      this.#socket.setTimeout(timeout_ms, () => end(new Error('the server does not respond')))
    })
  }

  #next(): { type: string; content: string } | undefined {
    const received = this.#received
    if (received.length < 5) return undefined
    const end = 1 + received.readUInt32BE(1)
    if (received.length < end) return undefined
    this.#received = received.subarray(end)
    return { type: String.fromCharCode(received[0] ?? 0), content: received.toString('utf8', 5, end) }
  }
}

/** The fields of an error, each with a letter before it: C is the SQLSTATE, M the message. */
function errorOf(content: string): ServerError {
  const field = (letter: string) =>
    content
      .split('\0')
      .find((each) => each.startsWith(letter))
      ?.slice(1) ?? ''
  return new ServerError(field('C'), field('M'))
}
