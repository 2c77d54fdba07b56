import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { write, type Io } from './io.ts'
import type { Output } from './output.ts'
import { progressOf, type Progress } from './progress.ts'
import { confirm } from './prompt.ts'
import type { Connection } from './settings.ts'

/** What every command is given besides its input. */
export interface Context {
  io: Io
  output: Output
  /** Aborts on Ctrl-C; given to every request and every wait. */
  signal: AbortSignal
  /** `--account`: the account that an operator acts for. */
  account_id: string | undefined
  /** `--profile`, undefined without it. */
  chosen_profile: string | undefined
  /** The service and the key; resolved once, on first use. */
  connection(): Promise<Connection>
  client(): Promise<DemarcClient>
  /** A sentence to the person, on standard error; nothing when the output is JSON. */
  remark(sentence: string): Promise<void>
  progress(label: string): Progress
  /** Returns when the person agrees or gave --yes. */
  confirm(question: string): Promise<void>
}

export interface ContextOptions {
  output: Output
  profile: string | undefined
  account_id: string | undefined
  yes: boolean
  /** Finds the service and the key; see resolveConnection. */
  connect: () => Promise<Connection>
  fetch?: typeof fetch
}

export function contextOf(
  io: Io,
  { output, profile, account_id, yes, connect, fetch: given }: ContextOptions,
): Context {
  let resolved: Promise<Connection> | null = null
  const connection = () => (resolved ??= connect())
  return {
    io,
    output,
    signal: io.signal,
    account_id,
    chosen_profile: profile,
    connection,
    client: async () => clientFor(await connection(), account_id, io.signal, given ?? fetch),
    remark: (sentence) => (/json/.test(output.format) ? Promise.resolve() : write(io.stderr, `${sentence}\n`)),
    progress: (label) => progressOf(io, label),
    confirm: (question) => (yes ? Promise.resolve() : confirm(io, question)),
  }
}

/** A client for the service, whose requests all end on Ctrl-C. */
function clientFor(
  { url, credentials }: Connection,
  account_id: string | undefined,
  signal: AbortSignal,
  send: typeof fetch,
): DemarcClient {
  return createDemarcClient({
    base_url: url,
    ...(credentials ? { credentials } : {}),
    ...(account_id === undefined ? {} : { account_id }),
    fetch: (input, init = {}) =>
      send(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal }),
  })
}
