import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { parseConnectionUrl } from 'nodemailer/lib/shared'

/** Connects to the relay and signs in as for sending, and asks whether it accepts the sender. Sends no message. */

export type RelayState =
  /** The code of Node or of the TLS library; otherwise the mail library's. */
  | { kind: 'unreachable'; code: string }
  /** It refused the command or the TLS connection that must follow, or SMTP_URL requires it and the relay doesn't offer it. */
  | { kind: 'starttls-refused'; status: number | null }
  | { kind: 'sign-in-refused'; status: number | null }
  | { kind: 'sender-refused'; status: number }
  | { kind: 'accepted'; is_encrypted: boolean; signs_in: boolean }

/** The name of the step that sends MAIL FROM: the library sends other commands only as part of signing in. */
const sender_step = 'DEMARC-SENDER'

export async function probeRelay(
  { smtp_url, from }: { smtp_url: string; from: string },
  signal: AbortSignal,
): Promise<RelayState> {
  let sender_status = 0
  const options = parseConnectionUrl(smtp_url)
  const { auth } = options
  const connection = new SMTPConnection({
    ...options,
    customAuth: {
      async [sender_step](session) {
        const { status } = await session.sendCommand(`MAIL FROM:<${from}>`)
        sender_status = status
        await session.sendCommand('RSET')
      },
    },
  })
  const failed = Promise.withResolvers<never>()
  connection.on('error', (error: Error) => failed.reject(error))
  signal.addEventListener('abort', () => failed.reject(signal.reason))
  const step = (run: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed.promise,
      new Promise<void>((resolve, reject) => run((error) => (error ? reject(error) : resolve()))),
    ])
  try {
    await step((done) => connection.connect(done))
    const signs_in = auth !== undefined && connection.allowsAuth
    if (signs_in) await step((done) => connection.login(auth, done))
    await step((done) => connection.login({ method: sender_step }, done))
    return sender_status < 300
      ? { kind: 'accepted', is_encrypted: connection.secure, signs_in }
      : { kind: 'sender-refused', status: sender_status }
  } catch (error) {
    signal.throwIfAborted()
    return stateOf(error)
  } finally {
    connection.close()
  }
}

/** The library's messages contain responses of the relay, which may contain the user. */
function stateOf(error: unknown): RelayState {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
  const status = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null
  if (error.code === 'EAUTH') return { kind: 'sign-in-refused', status }
  if (error.code === 'ETLS') return { kind: 'starttls-refused', status }
  // the library replaces the socket's code
  const code = 'originalCode' in error && typeof error.originalCode === 'string' ? error.originalCode : error.code
  return { kind: 'unreachable', code }
}
