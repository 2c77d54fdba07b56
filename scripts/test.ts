/**
 * Runs test files against one embedded PostgreSQL that is started for the run.
 *
 *   npm test                          the quick suite: everything that scripts/suites.ts does not leave to the full suite
 *   npm run test:full                 every test
 *   npm run test:full -- --rest       what `npm test` leaves out
 *   npm test -- server/src/cnam       all files of a folder, a file, or a glob ('server/**\/rules.test.ts')
 *   npm test -- --test-name-pattern=revoked
 *
 * Other arguments that begin with a dash are passed to `node --test`. Fails if a test fails, and if none ran.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startPostgres } from '../server/src/engines/postgres/index.ts'
import { silentLog } from '../server/src/platform/postgres/log.ts'
import { TEST_SETTINGS } from '../server/test/support/settings.ts'
import type { RunCounts } from './count-tests.ts'
import { filesOf, groupsOf, type Suite } from './suites.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const FOLDERS = ['api', 'server', 'acceptance', 'scripts', 'cli', 'bench', 'portal']
/** Fixed, so that a run is the same on every machine. One more than two cores: tests also wait. */
const CONCURRENCY = 3
/** A test that hangs fails instead of blocking the run; open-handles.ts does the same for its file. Busy machines stay below it. */
const TEST_TIMEOUT_MS = 1_200_000
const GRACE_MS = 10_000

process.chdir(ROOT)
process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const patterns = args.filter((each) => !each.startsWith('-'))
  const flags = args.filter((each) => each.startsWith('-') && each !== '--full' && each !== '--rest')
  const suite = args.includes('--rest') ? 'rest' : patterns.length > 0 || args.includes('--full') ? 'all' : 'quick'
  const files = filesOf(suite, chooseFiles(patterns))
  if (files.length === 0) {
    console.error(`No test file matches ${args.join(' ')}.`)
    return 1
  }
  const interrupted = interruption()
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'demarc-test-'))
  chmodSync(scratch, 0o711) // as root, the server runs as another user, who must be able to enter
  try {
    const server = await sharedServer(path.join(scratch, 'postgres'))
    try {
      if (interrupted.signal.aborted) return 130
      return await runTests({ suite, flags, files, scratch, url: server.url }, interrupted.signal)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function chooseFiles(patterns: readonly string[]): string[] {
  const all = FOLDERS.flatMap((folder) =>
    globSync(`${folder}/**/*.test.ts`, { exclude: ['**/node_modules/**'] }),
  ).sort()
  if (patterns.length === 0) return all
  const wanted = patterns.map((pattern) => path.relative(ROOT, path.resolve(pattern)))
  return all.filter((file) =>
    wanted.some((each) => file === each || file.startsWith(each + path.sep) || path.matchesGlob(file, each)),
  )
}

/** Aborts on Ctrl-C or SIGTERM instead of exiting, because the database must be stopped first. */
function interruption(): AbortController {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller
}

async function sharedServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env.DEMARC_TEST_DATABASE
  if (url !== undefined) return { url, stop: async () => undefined }
  const server = await startPostgres({ data_dir: folder, settings: TEST_SETTINGS, log: silentLog })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(server.data_dir, { recursive: true, force: true })
    },
  }
}

interface Run {
  suite: Suite
  flags: string[]
  files: string[]
  scratch: string
  url: string
}

/** Returns the exit code: the runner's, or 1 when no test ran or a file did not run to its end. */
async function runTests({ suite, flags, files, scratch, url }: Run, interrupted: AbortSignal): Promise<number> {
  const count_file = path.join(scratch, 'counts.json')
  const entries = entryFiles(path.join(scratch, 'processes'), files, flags)
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${CONCURRENCY}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${path.join(import.meta.dirname, 'count-tests.ts')}`,
      `--test-reporter-destination=${count_file}`,
      ...flags,
      ...entries.keys(),
    ],
    // A process group of its own: the runner and all its files are ended together, before the database.
    { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env: environment(suite, scratch, url) },
  )
  interrupted.addEventListener('abort', () => endGroup(child))
  await once(child, 'exit')
  if (interrupted.aborted) {
    signalGroup(child, 'SIGKILL') // files that outlived the runner
    return 130
  }
  const counts = JSON.parse(readFileSync(count_file, 'utf8')) as RunCounts // written by count-tests.ts
  const ended = counts.files.map(({ file, seconds }) => ({ file: entries.get(file) ?? file, seconds }))
  printSlowest(ended.filter(({ file }) => files.includes(file)))
  const unfinished = files.filter((file) => !ended.some((each) => each.file === file))
  for (const file of unfinished) console.error(`${file} did not run to its end.`)
  if (unfinished.length > 0) return 1
  if (child.exitCode !== 0) return child.exitCode ?? 1
  if (counts.ran > 0) return 0
  console.error('No test ran.')
  return 1
}

/**
 * Writes the file that each process starts with, and returns them with the test file if the process runs only one. Node starts
 * them in the order of their names.
 */
function entryFiles(folder: string, files: string[], flags: string[]): Map<string, string | null> {
  mkdirSync(folder)
  const runner = path.join(import.meta.dirname, 'run-files.ts')
  const write = (n: number, name: string, call: string): string => {
    const file = path.join(folder, `${String(n + 1).padStart(3, '0')}-${name}.mjs`)
    writeFileSync(file, `import { runFile, runFiles } from '${runner}'\nawait ${call}\n`)
    return file
  }
  const listed = (list: string[]) => JSON.stringify(list.map((file) => path.join(ROOT, file)))
  // the suite around a file without a test of the wanted name would not end what the file starts
  if (flags.length > 0)
    return new Map(files.map((file, n) => [write(n, file.replaceAll('/', '-'), `runFile(${listed([file])}[0])`), file]))
  return new Map(
    groupsOf(files).map((group, n) => [write(n, `${group.length}-files`, `runFiles(${listed(group)})`), null]),
  )
}

function environment(suite: Suite, scratch: string, url: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DEMARC_TEST_DATABASE: url,
    DEMARC_TEST_SUITE: suite,
    DEMARC_TEST_SEEDED: path.join(scratch, 'seeded'),
    // each file is a process that imports most of the server: compiling it once saves half of its start
    NODE_COMPILE_CACHE: path.join(scratch, 'compiled'),
  }
}

function printSlowest(files: RunCounts['files']): void {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  console.log('Slowest files:')
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGINT')
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref()
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
