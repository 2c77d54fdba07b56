import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { usage } from './failure.ts'
import { isInteractive, write, type Io } from './io.ts'

/** Questions to a person at a terminal. Without one they are refused, with the option to give instead. */

/** A line of text; `secret` shows nothing of it. `instead` says what to give where there is no terminal. */
export async function ask(io: Io, question: string, instead: string, secret = false): Promise<string> {
  if (!isInteractive(io)) throw usage(null, `There is no terminal to ask at: ${question}.`, instead)
  await write(io.stderr, `${question}: `)
  // what is typed is echoed by readline into this stream, which shows it or not
  const echo = new Writable({
    write(chunk: Buffer, _, done) {
      if (secret) done()
      else io.stderr.write(chunk, done)
    },
  })
  const lines = createInterface({ input: io.stdin, output: echo, terminal: true })
  let interrupted = false
  try {
    return await new Promise<string>((resolve, reject) => {
      const interrupt = () => {
        interrupted = true
        reject(new DOMException('Interrupted.', 'AbortError'))
      }
      // readline in raw mode receives Ctrl-C itself; before, while the question is written, the process does
      lines.once('SIGINT', interrupt)
      io.signal.addEventListener('abort', interrupt, { once: true })
      if (io.signal.aborted) interrupt()
      lines.once('line', (line) => resolve(line.trim()))
      lines.once('close', () => reject(usage(null, `${question} was not given.`, instead)))
    })
  } finally {
    lines.close()
    if (secret || interrupted) await write(io.stderr, '\n')
  }
}

/** Returns when the person agrees; refuses otherwise, and without a terminal, where `--yes` is needed. */
export async function confirm(io: Io, question: string): Promise<void> {
  if (!isInteractive(io)) throw usage('--yes', `Needed, because there is no terminal to ask at: ${question}`)
  const reply = await ask(io, `${question} [y/N]`, '')
  if (!/^y(es)?$/i.test(reply)) throw usage(null, 'Not confirmed; nothing was changed.')
}
