/**
 * `npm test`: every `*.test.ts` against one embedded PostgreSQL that is started for the run.
 *
 *   npm test                          all
 *   npm test -- server/src/cnam       files of a folder, a file, or a glob ('server/**\/rules.test.ts')
 *   npm test -- --test-name-pattern=revoked
 *
 * Arguments that begin with a dash are passed to `node --test`. Fails if a test fails, and if none ran.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startPostgres } from '../server/src/engines/postgres/index.ts'
import { silentLog } from '../server/src/platform/postgres/log.ts'
import { TEST_SETTINGS } from '../server/test/support/settings.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
/** `server/test/e2e` takes long and has its own script. */
const FOLDERS = ['api', 'server', 'acceptance', 'scripts', 'cli', 'bench', 'portal']
const EXCLUDED = ['**/node_modules/**', 'server/test/e2e/**']
/** Files at a time: fixed, so that a run is the same on every machine. */
const CONCURRENCY = 2
/** A test that hangs fails instead of blocking the run for ever; open-handles.ts does the same for its file. Busy machines stay below it. */
const TEST_TIMEOUT_MS = 600_000
const GRACE_MS = 10_000

process.chdir(ROOT)
process.exitCode = await main(process.argv.slice(2))

async function main(given: readonly string[]): Promise<number> {
  const files = chooseFiles(given.filter((each) => !each.startsWith('-')))
  if (files.length === 0) {
    console.error(`No test file matches ${given.join(' ')}.`)
    return 1
  }
  const interrupted = interruption()
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'demarc-test-'))
  chmodSync(scratch, 0o711) // as root, the server runs as another user, who must be able to enter
  try {
    const server = await sharedServer(path.join(scratch, 'postgres'))
    try {
      if (interrupted.signal.aborted) return 130
      const flags = given.filter((each) => each.startsWith('-'))
      return await runTests([...flags, ...files], server.url, path.join(scratch, 'count'), interrupted.signal)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function chooseFiles(patterns: readonly string[]): string[] {
  const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { exclude: EXCLUDED })).sort()
  if (patterns.length === 0) return all
  const wanted = patterns.map((pattern) => path.relative(ROOT, path.resolve(pattern)))
  return all.filter((file) =>
    wanted.some((each) => file === each || file.startsWith(each + path.sep) || path.matchesGlob(file, each)),
  )
}

/** Aborts on Ctrl-C or SIGTERM, which then no longer end this process, because it has to stop the database first. */
function interruption(): AbortController {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller
}

async function sharedServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.DEMARC_TEST_DATABASE
  if (given !== undefined) return { url: given, stop: async () => undefined }
  const server = await startPostgres({ data_dir: folder, settings: TEST_SETTINGS, log: silentLog })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(server.data_dir, { recursive: true, force: true })
    },
  }
}

/** Returns the exit code: the runner's own, or 1 when no test ran. */
async function runTests(args: string[], url: string, count_file: string, interrupted: AbortSignal): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--import=${path.join(import.meta.dirname, 'open-handles.ts')}`,
      `--test-concurrency=${CONCURRENCY}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${path.join(import.meta.dirname, 'count-tests.ts')}`,
      `--test-reporter-destination=${count_file}`,
      ...args,
    ],
    // A process group of its own, so that the runner and all its files are ended together, before the database.
    { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env: { ...process.env, DEMARC_TEST_DATABASE: url } },
  )
  interrupted.addEventListener('abort', () => endGroup(child))
  await once(child, 'exit')
  if (interrupted.aborted) {
    signalGroup(child, 'SIGKILL') // files that outlived the runner
    return 130
  }
  if (child.exitCode !== 0) return child.exitCode ?? 1
  if (Number(readFileSync(count_file, 'utf8')) > 0) return 0
  console.error('No test ran.')
  return 1
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
