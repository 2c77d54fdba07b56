import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { SMTPServer } from 'smtp-server'

/** A mail relay on loopback that keeps every message it receives. */

export interface ReceivedMail {
  to: string
  /** Unfolded and decoded, by lower-case name. */
  headers: ReadonlyMap<string, string>
  text: string
  html: string
}

export interface Relay {
  url: string
  mails: ReceivedMail[]
  /** Messages sent to an address. */
  mailsTo(address: string): ReceivedMail[]
  /** Waits for the first message that matches. Throws with `what` if none arrives. */
  arrived(what: string, matches: (mail: ReceivedMail) => boolean, limit_ms?: number): Promise<ReceivedMail>
  /** The relay's reply to a recipient: nothing, or an error with an SMTP status. Called for each attempt. */
  refuse: (address: string) => { code: number } | null
}

/** Far longer than a busy machine needs; reached only when a message is never sent. */
const hang_ms = 60_000

const errorOf = ({ code }: { code: number }) => Object.assign(new Error('not now'), { responseCode: code })

export async function startRelay(): Promise<Relay> {
  const arrivals = new EventEmitter()
  const relay: Relay = {
    url: '',
    mails: [],
    mailsTo: (address) => relay.mails.filter(({ to }) => to === address),
    async arrived(what, matches, limit_ms = hang_ms) {
      const signal = AbortSignal.timeout(limit_ms)
      for (;;) {
        const mail = relay.mails.find(matches)
        if (mail !== undefined) return mail
        await once(arrivals, 'mail', { signal }).catch((error: unknown) => {
          if (!signal.aborted) throw error
          const others = relay.mails.map(({ to, headers }) => `${headers.get('subject') ?? ''} (to ${to})`)
          throw new Error(
            `${what} has not arrived within ${limit_ms / 1000} s; what has: ${others.join(', ') || 'nothing'}`,
          )
        })
      }
    },
    refuse: () => null,
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const refusal = relay.refuse(address)
      callback(refusal === null ? null : errorOf(refusal))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo[0]?.address ?? ''
        relay.mails.push(parsed(to, Buffer.concat(chunks).toString('latin1')))
        arrivals.emit('mail')
        callback(null)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  // a listening TCP server has an address with a port
  relay.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return relay
}

function parsed(to: string, source: string): ReceivedMail {
  const { headers, body } = split(source)
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1] ?? ''
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')))
  const of = (type: string) => {
    const part = parts.find((each) => each.headers.get('content-type')?.startsWith(type))
    return part === undefined ? '' : decoded(part.body, part.headers.get('content-transfer-encoding') ?? '7bit')
  }
  return { to, headers, text: of('text/plain').replaceAll('\r\n', '\n'), html: of('text/html') }
}

function split(source: string): { headers: Map<string, string>; body: string } {
  const [head = '', ...rest] = source.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(':')
    return [name.toLowerCase(), decodedWords(value.join(':').trim())] as const
  })
  return { headers: new Map(headers), body: rest.join('\r\n\r\n') }
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? fromQuoted(body.replaceAll('=\r\n', '')) : body
}

const fromQuoted = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString()

/** Encoded words of headers (RFC 2047). */
const decodedWords = (value: string) =>
  value
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : fromQuoted(text.replaceAll('_', ' ')),
    )
