import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { main_of_checkout } from '../checkout.ts'
import type { Context } from '../context.ts'
import { Failure, timedOut, usage } from '../failure.ts'
import type { Input } from '../input.ts'
import type { Item } from '../output.ts'
import { absent } from '../settings.ts'
import { shared, type Verb } from '../verb.ts'

export const dev: Verb = {
  name: 'dev',
  summary: 'Start a private demo service for tests and CI',
  description:
    'Starts a service with demo data in a temporary folder and prints its URL and keys as environment variables. The service stops on Ctrl-C or when the command after -- ends, and the folder is removed. Requires a checkout of the service.',
  arguments: [{ name: 'command', summary: 'Command to run with the variables set', optional: true, many: true }],
  options: [
    { name: 'server', value: 'folder', summary: 'Checkout of the service (default: the checkout of this program)' },
    { name: 'port', value: 'number', summary: 'Port of the service (default: any free port)' },
    { ...shared.timeout, summary: 'Maximum wait for the service to start (default 300)' },
  ],
  examples: ['dev', 'dev -- npm test'],
  async run(context, input) {
    const main = mainOf(input)
    const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-dev-'))
    // if started by root, the database runs as another user, who needs access to the folder
    await chmod(folder, 0o711)
    const service = start(context, main, folder, input)
    try {
      const variables = await readyVariables(context, service, folder, input.duration_ms('timeout') ?? start_timeout_ms)
      const words = input.argumentList('command')
      if (words.length > 0) await runCommand(context, words, variables)
      else await serve(context, service, variables)
    } finally {
      service.process.kill('SIGTERM')
      await service.ended
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    }
  },
}

/** The folders of system programs, some of which start the database. */
const default_path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** A service that ends is noticed at once; the limit is for one that hangs. The first start on a busy machine can take minutes. */
const start_timeout_ms = 300_000
const poll_ms = 100

function mainOf(input: Input): string {
  const folder = input.text('server')
  const main = folder === undefined ? main_of_checkout : path.resolve(folder, 'server/src/main.ts')
  if (existsSync(main)) return main
  throw usage('--server', `No service found at ${main}.`, 'Use --server with the folder of a checkout.')
}

interface Service {
  process: ChildProcess
  /** Resolves with its last output when it has exited. */
  ended: Promise<string>
}

/** Starts a service that stops when this process exits, even if it is killed. */
function start({ io }: Context, main: string, folder: string, input: Input): Service {
  const child = spawn(process.execPath, [main, '--demo', '--with-parent'], {
    env: {
      PATH: io.env['PATH'] ?? default_path,
      // without a cache outside of its new data folder, Node would compile everything again
      NODE_COMPILE_CACHE: io.env['NODE_COMPILE_CACHE'],
      DEMARC_DATA: path.join(folder, 'data'),
      DEMARC_PORT: String(input.integer('port') ?? 0),
      DEMARC_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // a terminal sends Ctrl-C to the whole process group, but the service must stop last
    detached: true,
  })
  let text = ''
  child.stderr?.on('data', (chunk) => (text = (text + String(chunk)).slice(-log_kept)))
  return { process: child, ended: new Promise((resolve) => child.once('exit', () => resolve(text.trim()))) }
}

const log_kept = 4_000

interface DemoFile {
  base_url: string
  account: { id: string; access_key: string; secret_key: string }
  operator: { access_key: string; secret_key: string }
}

type Variables = Readonly<Record<string, string>>

async function readyVariables(
  context: Context,
  service: Service,
  folder: string,
  timeout_ms: number,
): Promise<Variables> {
  const progress = context.progress('Starting')
  const deadline = performance.now() + timeout_ms
  try {
    for (;;) {
      const text = await readFile(path.join(folder, 'data', 'demo.json'), 'utf8').catch(absent)
      // the service writes this file, as docs/guide/demo-mode.md says
      const file = text === null ? null : (JSON.parse(text) as DemoFile)
      if (file && (await isReady(file.base_url))) return variablesOf(file)
      if (service.process.exitCode !== null) throw notStarted(await service.ended)
      if (performance.now() > deadline) throw timedOut('The service did not become ready within the time limit.')
      progress.show(null, 'the service')
      await sleep(poll_ms, undefined, { signal: context.signal })
    }
  } finally {
    progress.end()
  }
}

const variablesOf = ({ base_url, account, operator }: DemoFile): Variables => ({
  DEMARC_URL: base_url,
  DEMARC_ACCOUNT_ID: account.id,
  DEMARC_ACCESS_KEY: account.access_key,
  DEMARC_SECRET_KEY: account.secret_key,
  DEMARC_OPERATOR_ACCESS_KEY: operator.access_key,
  DEMARC_OPERATOR_SECRET_KEY: operator.secret_key,
})

async function isReady(base_url: string): Promise<boolean> {
  try {
    const response = await fetch(`${base_url}/health/ready`)
    await response.arrayBuffer()
    return response.ok
  } catch (error) {
    // it has its port before it listens
    if (error instanceof TypeError) return false
    throw error
  }
}

/** Prints the variables, for `eval` and for `$GITHUB_ENV`, and stays until Ctrl-C. */
async function serve(context: Context, service: Service, variables: Variables): Promise<void> {
  const { format } = context.output
  if (format === 'json' || format === 'ndjson') await context.output.item(variables satisfies Item)
  else
    await context.output.bytes(
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
  await context.remark('Ctrl-C ends the service and removes its data.')
  const interrupted = new Promise<null>((resolve) => {
    if (context.signal.aborted) resolve(null)
    context.signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  const text = await Promise.race([service.ended, interrupted])
  if (text !== null) throw notStarted(text)
}

/** Runs a command with the variables. */
async function runCommand(
  context: Context,
  [command = '', ...args]: readonly string[],
  variables: Variables,
): Promise<void> {
  const child = spawn(command, args, { env: { PATH: default_path, ...context.io.env, ...variables }, stdio: 'inherit' })
  context.signal.addEventListener('abort', () => child.kill('SIGINT'), { once: true })
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? interrupted_status : 1)))
  })
  if (status === 0) return
  throw new Failure({
    exit: 'general',
    status: 'command',
    lines: [{ field: null, message: `${command} ended with exit status ${status}.` }],
  })
}

const interrupted_status = 130

const notStarted = (text: string) =>
  new Failure({
    exit: 'general',
    status: 'service',
    lines: [{ field: null, message: `The service stopped.${text === '' ? '' : `\n${text}`}` }],
  })
