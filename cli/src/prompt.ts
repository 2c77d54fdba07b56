import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { usage } from './failure.ts'
import { isInteractive, write, type Io } from './io.ts'
import { visible } from './visible.ts'

/** Prompts on a terminal. Without a terminal they fail and name the option to use instead. */

/** Prompts for a line of text. `secret` hides it. `instead` is the remedy without a terminal. */
export async function ask(io: Io, question: string, instead: string, secret = false): Promise<string> {
  if (!isInteractive(io)) throw usage(null, `No terminal to prompt for: ${question}.`, instead)
  await write(io.stderr, `${visible(question)}: `)
  // readline echoes typed text into this stream, which hides secrets
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
      // in raw mode readline receives Ctrl-C; before that, while the question is written, the process does
      lines.once('SIGINT', interrupt)
      io.signal.addEventListener('abort', interrupt, { once: true })
      if (io.signal.aborted) interrupt()
      lines.once('line', (line) => resolve(line.trim()))
      lines.once('close', () => reject(usage(null, `${question} is missing.`, instead)))
    })
  } finally {
    lines.close()
    if (secret || interrupted) await write(io.stderr, '\n')
  }
}

/** Returns if the user agrees and throws otherwise. Without a terminal, `--yes` is required. */
export async function confirm(io: Io, question: string): Promise<void> {
  if (!isInteractive(io)) throw usage('--yes', `Required, because there is no terminal to confirm: ${question}`)
  const reply = await ask(io, `${question} [y/N]`, '')
  if (!/^y(es)?$/i.test(reply)) throw usage(null, 'Not confirmed; nothing was changed.')
}
