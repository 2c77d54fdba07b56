import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Account } from '../../src/engines/postgres/account.ts'
import { startPostgres, type LocalPostgres } from '../../src/engines/postgres/launcher.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { TEST_SETTINGS } from './settings.ts'

const LAUNCHER = path.resolve(import.meta.dirname, '../../src/engines/postgres/launcher.ts')

const cleanups = new WeakMap<TestContext, (() => unknown)[]>()

/** Like `t.after`, but closes in reverse order of opening. */
export function atEnd(t: TestContext, close: () => unknown): void {
  const known = cleanups.get(t)
  if (known) return void known.push(close)
  const list = [close]
  cleanups.set(t, list)
  t.after(async () => {
    for (const each of list.toReversed()) await each()
  })
}

/** A temporary folder that every user may enter. */
export function openFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-launcher-'))
  chmodSync(folder, 0o711)
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A temporary folder that only its owner may enter, like root's home on many machines. */
export function closedFolder(t: TestContext): string {
  const folder = openFolder(t)
  chmodSync(folder, 0o700)
  return folder
}

/** PostgreSQL's own data folder. */
export function clusterOf(data_dir: string): string {
  return path.join(data_dir, 'cluster')
}

/** A server started by this process. */
export async function start(
  t: TestContext,
  data_dir: string,
  settings: Record<string, string> = {},
): Promise<LocalPostgres> {
  const server = await startPostgres({ data_dir, settings: { ...TEST_SETTINGS, ...settings }, log: silentLog })
  atEnd(t, server.stop)
  return server
}

export interface Starter extends Pick<LocalPostgres, 'url' | 'adopted' | 'data_dir'> {
  process: ChildProcess
  /** Lets the process stop its server and end. */
  end(): Promise<void>
}

export interface StarterOptions {
  settings?: Record<string, string>
  launcher?: string
  search_path?: string
  account?: Account
  /** In its own process group, so that a signal can be sent to the group as a terminal does; it then ignores Ctrl-C. */
  own_group?: boolean
}

/** A server started by another process, which can then be killed. */
export async function startInOtherProcess(
  t: TestContext,
  data_dir: string,
  options: StarterOptions = {},
): Promise<Starter> {
  const child = runCode(
    `import { startPostgres } from ${JSON.stringify(pathToFileURL(options.launcher ?? LAUNCHER).href)}
     process.on('SIGINT', () => {})
     const log = { info() {}, warn() {}, error: console.error }
     const { stop, ...facts } = await startPostgres({ data_dir: process.argv[1], settings: JSON.parse(process.argv[2]), log })
     console.log(JSON.stringify(facts))
     process.stdin.resume().on('end', async () => { await stop(); process.exit() })`,
    [data_dir, JSON.stringify({ ...TEST_SETTINGS, ...options.settings })],
    options,
  )
  const gone = once(child, 'exit')
  const end = async () => {
    child.stdin.end()
    await gone
  }
  atEnd(t, end)
  const facts = await Promise.race([firstLine(child.stdout), gone])
  if (typeof facts !== 'string') throw new Error('the process exited before its server was up; see its output above')
  return { ...(JSON.parse(facts) as Omit<Starter, 'process' | 'end'>), process: child, end } // what the code above prints
}

/** The first line that some code prints. The code is an ES module. */
export async function printed(code: string): Promise<string> {
  const child = runCode(code, [], {})
  child.stdin.end()
  return firstLine(child.stdout)
}

function runCode(code: string, args: string[], { search_path, account, own_group }: StarterOptions) {
  return spawn(process.execPath, ['--input-type=module', '--eval', code, ...args], {
    cwd: '/',
    // Without the runner's variables, which would make it report as a test file.
    env: { PATH: search_path ?? process.env.PATH ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: own_group === true,
    ...(account && { uid: account.uid, gid: account.gid }),
  })
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stream)) return line
  return ''
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
