import { createDemarcClient, DemarcError, type DemarcClient } from '@demarc/client/light'
import { write, type Io } from './io.ts'
import type { Output } from './output.ts'
import { progressOf, type Progress } from './progress.ts'
import { confirm } from './prompt.ts'
import type { Connection } from './settings.ts'
import { visible } from './visible.ts'

/** The context of every command, besides its input. */
export interface Context {
  io: Io
  output: Output
  /** Aborts on Ctrl-C. Every request and every wait uses it. */
  signal: AbortSignal
  /** `--account`: the account that an operator acts for. */
  account_id: string | undefined
  /** `--profile`; undefined without it. */
  chosen_profile: string | undefined
  /** The service and the key, resolved once on first use. */
  connection(): Promise<Connection>
  client(): Promise<DemarcClient>
  /** Prints a sentence for the person to standard error; prints nothing if the output is JSON. */
  remark(sentence: string): Promise<void>
  progress(label: string): Progress
  /** Returns once the person agrees or gave --yes. */
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
  { output, profile, account_id, yes, connect, fetch: custom_fetch }: ContextOptions,
): Context {
  let resolved: Promise<Connection> | null = null
  const connection = () => (resolved ??= connect())
  const remark = (sentence: string) =>
    /json/.test(output.format) ? Promise.resolve() : write(io.stderr, `${visible(sentence)}\n`)
  return {
    io,
    output,
    signal: io.signal,
    account_id,
    chosen_profile: profile,
    connection,
    client: async () => clientFor(await connection(), { account_id, io, fetch: custom_fetch, remark }),
    remark,
    progress: (label) => progressOf(io, label),
    confirm: (question) => (yes ? Promise.resolve() : confirm(io, question)),
  }
}

/** Lets a script survive a short outage. The person running it handles longer ones. */
const retry = { attempts: 3, total_ms: 15_000 }

/** A client for the service. Ctrl-C aborts all its requests. */
function clientFor(
  { url, credentials }: Connection,
  { account_id, io, fetch: send = fetch, remark }: ClientSettings,
): DemarcClient {
  return createDemarcClient({
    base_url: url,
    ...(credentials ? { credentials } : {}),
    ...(account_id === undefined ? {} : { account_id }),
    retry,
    on_retry: ({ wait_ms, error }) => {
      const reason = error instanceof DemarcError ? `status ${error.status}` : 'no response'
      // if standard error is closed, no one can read it
      remark(`Retrying in ${Math.ceil(wait_ms / 1000)} s: ${reason}.`).catch(() => undefined)
    },
    fetch: (input, init = {}) =>
      send(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, io.signal]) : io.signal }),
  })
}

interface ClientSettings {
  account_id: string | undefined
  io: Io
  fetch: typeof fetch | undefined
  remark(sentence: string): Promise<void>
}
