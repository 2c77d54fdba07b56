import { execFileSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

/** Runs a program and returns its output. It gets none of this process's variables, because npm reads many, such as NODE_ENV. */
export function run(file: string, args: readonly string[], cwd = root, env: Record<string, string> = {}): string {
  return execFileSync(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: os.homedir(), ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

export const git = (...args: readonly string[]): string => run('git', args).trim()
