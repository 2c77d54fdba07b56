import { readFile } from 'node:fs/promises'
import os from 'node:os'

/** The streams and the signal of a run: those of the process, or a test's. */
export interface Io {
  stdout: Sink
  stderr: Sink
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
}

/** An output stream. A terminal's stream also has its width. */
export interface Sink {
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown
  isTTY?: boolean
  columns?: number
}

/** The process's streams. `signal` is the caller's, who aborts it on SIGINT. */
export const processIo = (signal: AbortSignal): Io => ({
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  home: process.env['HOME'] ?? os.homedir(),
  signal,
})

/** Resolves when the stream has accepted the text, so a full disk or a closed pipe becomes the command's error. */
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

/** Whether the output is a terminal; only then are there prompts, colors, and progress. */
export const isInteractive = (io: Io): boolean => io.stdin.isTTY === true && io.stderr.isTTY === true

/** Whether to use colors: on a terminal, unless the person turned them off (no-color.org). */
export const hasColor = (io: Io, sink: Sink): boolean =>
  sink.isTTY === true && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb'
