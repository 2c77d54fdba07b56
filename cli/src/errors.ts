import { exitStatuses, Failure, usage, type FailureDetails } from './failure.ts'
import { hasColor, write, type Io } from './io.ts'
import type { Connection } from './settings.ts'
import { visible } from './visible.ts'

/** Shows a command's error on standard error, as text or as one JSON document. */

export interface ErrorOptions {
  json: boolean
  command: string
  /** The connection used; null if none was resolved. */
  connection: Connection | null
}

/** Shows the error and returns the exit status, which is never 0. */
export async function showError(io: Io, error: unknown, options: ErrorOptions): Promise<number> {
  if (isBrokenPipe(error)) return exitStatuses.broken_pipe
  const details = await detailsOf(io, error, options)
  const text = options.json ? jsonOf(details, options) : linesOf(io, details, options)
  try {
    await write(io.stderr, text)
  } catch (failed) {
    // the reader of standard error closed it; the exit status still reports the failure
    if (!(failed instanceof Error && 'code' in failed)) throw failed
  }
  return exitStatuses[details.exit]
}

async function detailsOf(io: Io, error: unknown, { command, connection }: ErrorOptions): Promise<FailureDetails> {
  if (error instanceof Failure) return error.details
  // at a prompt the terminal is raw, and readline receives Ctrl-C instead of a signal
  if (io.signal.aborted || (error instanceof Error && error.name === 'AbortError'))
    return { exit: 'interrupted', status: 'interrupted', lines: [{ field: null, message: 'Interrupted.' }] }
  const known = systemError(error, connection)
  if (known) return known
  if (error instanceof Error && 'request_id' in error) {
    // loaded here, because only commands that sent a request have the client in memory
    const { DemarcError } = await import('@demarc/client/light')
    const { failureOf } = await import('./refusals.ts')
    if (error instanceof DemarcError) return failureOf(error, command).details
  }
  if (error instanceof Error && 'remedy' in error && typeof error.remedy === 'string')
    return { exit: 'general', status: 'file', lines: [{ field: null, message: error.message }], remedy: error.remedy }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    exit: 'general',
    status: 'internal',
    lines: [{ field: null, message }],
    remedy: 'This is a bug in the demarc command. Please report it.',
  }
}

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNRESET: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  ETIMEDOUT: 'no connection within the time limit',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
  UND_ERR_HEADERS_TIMEOUT: 'no response within the time limit',
  UND_ERR_BODY_TIMEOUT: 'the response stopped',
}

const timeouts = /TIMEDOUT|TIMEOUT/

/** Network and file system errors, which the user can fix. */
export function systemError(error: unknown, connection: Connection | null): FailureDetails | null {
  if (!(error instanceof Error)) return null
  if (error.name === 'TimeoutError')
    return {
      exit: 'timeout',
      status: 'timeout',
      lines: [{ field: null, message: 'No response within the time limit.' }],
    }
  // the client wraps fetch errors
  const network = error.name === 'ConnectionError' && error.cause instanceof Error ? error.cause : error
  if (error.name === 'ResponseTimeoutError')
    return { exit: 'timeout', status: 'timeout', lines: [{ field: null, message: error.message }] }
  if (isFetchError(network)) {
    const code = codeOf(network.cause) ?? ''
    const reason = sentences[code] ?? (network.cause instanceof Error ? network.cause.message : network.message)
    return {
      exit: timeouts.test(code) ? 'timeout' : 'general',
      status: 'unreachable',
      lines: [{ field: null, message: `${connection?.url ?? 'The service'} cannot be reached: ${reason}.` }],
      remedy: 'Run `demarc doctor` to diagnose the connection.',
      cause: error,
    }
  }
  const code = codeOf(error)
  if (code === null || !('syscall' in error)) return null
  const status = code === 'ENOSPC' ? 'output' : 'file'
  return { exit: 'general', status, lines: [{ field: null, message: fileSentence(code, error) }], cause: error }
}

/** fetch throws a TypeError whose cause is the network error, also for a body that ends early. */
const isFetchError = (error: Error): boolean =>
  error instanceof TypeError && /^(fetch failed|terminated|network error)$/i.test(error.message)

function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

function fileSentence(code: string, error: Error): string {
  const file = 'path' in error && typeof error.path === 'string' ? error.path : null
  const subject = file ?? 'The output'
  if (code === 'ENOSPC') return `${subject} could not be written: no space is left on the device.`
  if (code === 'ENOENT') return `${subject} does not exist.`
  if (code === 'EACCES' || code === 'EPERM') return `${subject}: permission denied.`
  if (code === 'EROFS') return `${subject} is on a read-only file system.`
  if (code === 'EISDIR') return `${subject} is a folder.`
  return `${error.message}.`
}

const isBrokenPipe = (error: unknown): boolean =>
  codeOf(error) === 'EPIPE' && error instanceof Error && 'syscall' in error

function linesOf(io: Io, details: FailureDetails, { connection }: ErrorOptions): string {
  const red = hasColor(io, io.stderr) ? (text: string) => `\u001b[31m${text}\u001b[39m` : (text: string) => text
  const lines = details.lines.map(
    ({ field, message }) => `${red(`error[${details.status}]`)} ${visible(`${field ? `${field}: ` : ''}${message}`)}`,
  )
  if (details.remedy) lines.push(visible(`  remedy: ${details.remedy}`))
  if (details.request_id) lines.push(visible(`  request: ${details.request_id}`))
  if (connection && !['usage', 'interrupted', 'file', 'output'].includes(String(details.status)))
    lines.push(visible(`  used: ${connectionText(connection)}`))
  return `${lines.join('\n')}\n`
}

/** The profile and key in use, without the secret. */
export function connectionText({ url, profile, credentials, source }: Connection): string {
  const whose = profile === 'environment' ? 'the environment' : `profile ${profile}`
  const key = credentials
    ? `key ${credentials.access_key}${source === 'environment' ? '' : ` (secret from the ${source})`}`
    : 'no key'
  return `${whose}, ${key}, ${url}`
}

function jsonOf(details: FailureDetails, { connection }: ErrorOptions): string {
  const error = {
    status: details.status,
    exit_status: exitStatuses[details.exit],
    errors: details.lines,
    remedy: details.remedy ?? null,
    ...(details.corrected ? { corrected: details.corrected } : {}),
    request_id: details.request_id ?? null,
    url: connection?.url ?? null,
    profile: connection?.profile ?? null,
    access_key: connection?.credentials?.access_key ?? null,
    key_source: connection?.source ?? null,
  }
  return `${JSON.stringify({ error }, null, 2)}\n`
}

/** Converts the parser's message to a sentence without its prefix. */
export function usageFailure(message: string, command: string): Failure {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, '')
  const suggestion = rest.join(' ').replace(/[()]/g, '').trim()
  return usage(
    null,
    `${sentence}.`,
    `${suggestion ? `${suggestion} ` : ''}demarc ${command ? `${command} ` : ''}--help`,
  )
}
