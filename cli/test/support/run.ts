import { Readable } from 'node:stream'
import type { Io, Sink } from '../../src/io.ts'
import { run, type RunOptions } from '../../src/run.ts'

/** Runs command lines within the test, with separate streams, environment, and home. */

export interface Result {
  status: number
  stdout: string
  stderr: string
}

export interface RunSettings extends RunOptions {
  env?: Record<string, string>
  home?: string
  stdin?: string
  /** The terminal's width in columns; without it the output is piped. */
  columns?: number
  signal?: AbortSignal
  /** Replaces the streams that record the output. */
  stdout?: Sink
  stderr?: Sink
}

/** Runs one command line, split like a shell would. */
export async function runLine(line: string, settings: RunSettings = {}): Promise<Result> {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr'): Sink => ({
    write(chunk, done) {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      queueMicrotask(() => done())
    },
    ...(settings.columns === undefined ? {} : { isTTY: true, columns: settings.columns }),
  })
  const io: Io = {
    stdout: settings.stdout ?? sink('stdout'),
    stderr: settings.stderr ?? sink('stderr'),
    stdin: Readable.from(settings.stdin === undefined ? [] : [settings.stdin]),
    env: settings.env ?? {},
    home: settings.home ?? '/nonexistent',
    signal: settings.signal ?? new AbortController().signal,
  }
  const status = await run(wordsOf(line), io, settings.fetch ? { fetch: settings.fetch } : {})
  return { status, ...written }
}

/** The words of a line; quotes preserve spaces and are removed. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
