import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** Shell commands of documentation pages, run as a reader would run them. */

export const root = path.resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

export interface Command {
  page: string
  text: string
}

/** The blocks of shell commands of a page, without comments and empty lines. A command may have several lines. */
export const blocksOf = (page: string): Command[][] =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => {
    const commands: Command[] = []
    let text = ''
    for (const line of block.trimEnd().split('\n')) {
      if (text === '' && /^(#|$)/.test(line)) continue
      text += text === '' ? line : `\n${line}`
      const is_open = /[\\|]$/.test(line) || (text.match(/(?<!\\)'/g) ?? []).length % 2 === 1
      if (is_open) continue
      commands.push({ page, text })
      text = ''
    }
    return commands
  })

export interface Shell {
  folder: string
  env: Record<string, string>
}

export interface Outcome {
  /** The exit status is 0. */
  succeeded: boolean
  /** The HTTP status of the last request; 200 without one. */
  status: number
  stdout: string
  stderr: string
}

/** A command's text, and the only right response to it where that is not 2xx. */
export type OtherStatus = readonly [RegExp, number]

/** The failure of a command for a person to read, or nothing if it worked. */
export function failuresOf(command: Command, outcome: Outcome, otherStatuses: readonly OtherStatus[]): string[] {
  const { succeeded, status, stdout, stderr } = outcome
  const expected = otherStatuses.find(([pattern]) => pattern.test(command.text))?.[1]
  if (succeeded && (expected === undefined ? status < 300 : status === expected)) return []
  return [`${command.page}: ${command.text}\n  ${status} ${stdout}${stderr}`]
}

/** The patterns that no command matches: an exception whose command is gone. */
export const unusedPatterns = (patterns: readonly RegExp[], commands: readonly Command[]): RegExp[] =>
  patterns.filter((pattern) => !commands.some(({ text }) => pattern.test(text)))

/** Runs a script with bash in the folder. */
export async function runScript({ folder, env }: Shell, script: string): Promise<Outcome> {
  const statuses = path.join(folder, 'statuses')
  await writeFile(statuses, '')
  const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@" 2>> ${statuses}; }\n`
  const done = await run('bash', ['-c', `set -e -o pipefail\n${curl}cd ${folder}\n${script}\n`], {
    env: { ...process.env, ...env },
  }).catch(
    (error: unknown) => error as { code: number; stderr: string; stdout: string }, // execFile's own error
  )
  const status = Number((await readFile(statuses, 'utf8')).trim().split('\n').at(-1) || 200)
  return { succeeded: !('code' in done), status, stdout: done.stdout, stderr: done.stderr }
}
