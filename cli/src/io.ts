import { readFile } from 'node:fs/promises'
import os from 'node:os'

/** Where a run writes, reads and is interrupted: the process's own streams, or a test's. */
export interface Io {
  stdout: Sink
  stderr: Sink
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
}

/** A stream that is written to; a stream of a terminal says so and how wide it is. */
export interface Sink {
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown
  isTTY?: boolean
  columns?: number
}

/** Those of the process. `signal` is the caller's, which connects it with SIGINT. */
export const processIo = (signal: AbortSignal): Io => ({
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  home: process.env['HOME'] ?? os.homedir(),
  signal,
})

/** Resolves when the stream has taken the text, so that a full disk or a closed pipe is an error of the command. */
export const write = (sink: Sink, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    sink.write(chunk, (error) => (error ? reject(error) : resolve()))
  })

/** A file's bytes; `-` is standard input. */
export async function readBytes(io: Io, file: string): Promise<Buffer<ArrayBuffer>> {
  if (file !== '-') return readFile(file)
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

export const readText = async (io: Io, file: string): Promise<string> => (await readBytes(io, file)).toString('utf8')

/** Whether people watch: prompts, colors and progress are for them alone. */
export const isInteractive = (io: Io): boolean => io.stdin.isTTY === true && io.stderr.isTTY === true

/** Whether a stream shows colors: a terminal, and the person has not refused them (no-color.org). */
export const hasColor = (io: Io, sink: Sink): boolean =>
  sink.isTTY === true && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb'
