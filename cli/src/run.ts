import { CommanderError } from 'commander'
import { complete } from './complete.ts'
import { contextOf } from './context.ts'
import { showError, usageFailure } from './errors.ts'
import { exitStatuses } from './failure.ts'
import { globalsOf, wantsJson } from './globals.ts'
import { write, type Io } from './io.ts'
import { outputOf } from './output.ts'
import { programOf, type Parsed } from './program.ts'
import { resolveConnection, type Connection } from './settings.ts'

export interface RunOptions {
  /** For tests. */
  fetch?: typeof fetch
}

/** Runs one command line and returns its exit status. Never throws; prints errors. */
export async function run(argv: readonly string[], io: Io, options: RunOptions = {}): Promise<number> {
  let used: Connection | null = null
  let command = ''
  const written: string[] = []
  const execute = async ({ verb, input, globals: parsed }: Parsed) => {
    const { format, fields, profile, account_id, yes } = globalsOf(io, parsed)
    const connect = async () => (used = await resolveConnection(io, profile))
    const output = outputOf(io, { format, fields })
    await verb.run(contextOf(io, { output, profile, account_id, yes, connect, ...options }), input)
  }
  // commander writes synchronously; its output is sent after it returns
  const program = programOf({
    run: execute,
    show: (text) => written.push(text),
    entered: (words) => (command = words),
  })
  const failed = (error: unknown) => showError(io, error, { json: wantsJson(argv), command, connection: used })
  try {
    if (argv[0] === 'complete') {
      await complete(io, argv.slice(1))
      return exitStatuses.ok
    }
    await program.parseAsync(wordsOf(argv), { from: 'user' })
    await write(io.stdout, written.join(''))
    return exitStatuses.ok
  } catch (error) {
    if (!(error instanceof CommanderError)) return failed(error)
    if (error.exitCode === 0 || error.code === 'commander.help') return sendHelp(io, written.join(''), failed)
    return failed(usageFailure(error.message, command))
  }
}

async function sendHelp(io: Io, text: string, failed: (error: unknown) => Promise<number>): Promise<number> {
  try {
    await write(io.stdout, text)
    return exitStatuses.ok
  } catch (error) {
    return failed(error)
  }
}

/** `demarc help numbers list` is `demarc numbers list --help`. */
const wordsOf = (argv: readonly string[]): string[] => (argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv])
