import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { bytesText, type Progress } from '../progress.ts'
import { absent } from '../settings.ts'
import { isTransient } from '../transient.ts'

/** Downloads that go on where they stopped: after a lost connection at once, after the command was ended with the next one. */

export interface Download {
  /** Where the file is to be. Until it is whole and its digest is right it is beside it, as `….part`. */
  file: string
  bytes: number
  sha256: string
  /** Asks for the bytes from this offset on. */
  request: (offset: number) => Promise<Response>
  /** After so long without a byte it gives up. */
  patience_ms?: number
}

const patience_default_ms = 60_000
const first_pause_ms = 250
const longest_pause_ms = 5_000

export const partOf = (file: string): string => `${file}.part`

/** Downloads the file, verifies its digest, and puts it in its place in one step. */
export async function download(context: Context, options: Download): Promise<void> {
  const { file, bytes, sha256, patience_ms = patience_default_ms } = options
  const part = partOf(file)
  const progress = context.progress('Downloading')
  const handle = await open(part, 'a+', 0o600)
  let digest: string
  try {
    const state = await beginning(handle, part, bytes)
    let [at, pause_ms, moved_at] = [state.at, first_pause_ms, performance.now()]
    while (state.at < bytes) {
      try {
        await append(state, handle, options, progress, context.signal)
      } catch (error) {
        if (!isTransient(error)) throw error
        if (state.at > at) [at, pause_ms, moved_at] = [state.at, first_pause_ms, performance.now()]
        else if (performance.now() - moved_at > patience_ms) throw givenUp(error, state.at, bytes)
        progress.show(state.at / bytes, 'waiting for the service')
        await sleep(pause_ms, undefined, { signal: context.signal })
        pause_ms = Math.min(pause_ms * 2, longest_pause_ms)
      }
    }
    await handle.sync()
    digest = state.hash.digest('hex')
  } finally {
    progress.end()
    await handle.close()
  }
  if (digest !== sha256) {
    await rm(part)
    throw failure(
      `What was downloaded is not the file: its SHA-256 is ${digest}, and must be ${sha256}. It was removed.`,
      'Run the same command again. If it happens again, something between here and the service changes files.',
    )
  }
  await rename(part, file)
}

interface State {
  at: number
  hash: Hash
}

/** What is there of the file, with the digest of it; more than the file has is none of it. */
async function beginning(handle: FileHandle, part: string, bytes: number): Promise<State> {
  const there = (await stat(part).catch(absent))?.size ?? 0
  const state = { at: there > bytes ? 0 : there, hash: createHash('sha256') }
  if (state.at === 0) await handle.truncate(0)
  else for await (const chunk of createReadStream(part, { end: state.at - 1 })) state.hash.update(chunk)
  return state
}

async function append(
  state: State,
  handle: FileHandle,
  { request, bytes }: Download,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const response = await request(state.at)
  if (response.status !== 206 && state.at > 0) {
    // the whole file came: something on the way does not know ranges
    await handle.truncate(0)
    Object.assign(state, { at: 0, hash: createHash('sha256') })
  }
  if (!response.body) throw new TypeError('terminated')
  for await (const chunk of response.body) {
    signal.throwIfAborted()
    await handle.appendFile(chunk)
    state.hash.update(chunk)
    state.at += chunk.length
    progress.show(state.at / bytes, `${bytesText(state.at)} of ${bytesText(bytes)}`)
  }
  if (state.at < bytes) throw new TypeError('terminated')
}

const givenUp = (error: unknown, at: number, bytes: number) =>
  failure(
    `The download stopped after ${bytesText(at)} of ${bytesText(bytes)}: the service cannot be reached.`,
    'What is there is kept. Run the same command again when the service is back: it goes on from there.',
    error,
  )

const failure = (message: string, remedy: string, cause?: unknown) =>
  new Failure({ exit: 'general', status: 'download', lines: [{ field: null, message }], remedy, cause })
