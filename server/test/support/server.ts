import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { createAccount, createKey, createOperatorKey } from '../../src/accounts/index.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { systemActor } from '../../src/platform/actor.ts'
import type { MovableClock } from '../../src/platform/clock.ts'
import { inTransaction, type Db } from '../../src/platform/db.ts'
import type { JobRunner } from '../../src/platform/job-runner.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { createLog } from '../../src/platform/log.ts'
import { openRuntime, type RuntimeOverrides, type Runtime } from '../../src/runtime.ts'
import { startWorker } from '../../src/worker.ts'
import { checkingFetch } from './checking-fetch.ts'
import { closeBeforeDatabase, testDatabase } from './database.ts'
import { hang_ms } from './eventually.ts'
import { UNHURRIED } from './settings.ts'

export interface TestAccount {
  id: string
  client: DemarcClient
  credentials: { access_key: string; secret_key: string }
}

export interface TestServer {
  base_url: string
  operator: DemarcClient
  operator_credentials: { access_key: string; secret_key: string }
  account: TestAccount
  other: TestAccount
  /** Another account with a key of these scopes. */
  newAccount(name: string, scopes?: string[]): Promise<TestAccount>
  /** Without a key. */
  anonymous: DemarcClient
  db: Db
  clock: MovableClock
  runtime: Runtime
  /** Null unless started with `worker: true`. */
  runner: JobRunner | null
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Run jobs in this process too. */
  worker?: boolean
  /** Socket of a call-record engine; without one, operations that need call records respond with 503. */
  engine_socket?: string
  /** Dependencies in place of those that the settings define. */
  overrides?: RuntimeOverrides
  /** Settings that override those of the tests. */
  env?: Record<string, string>
}

/**
 * The whole service on its own port with a fresh database, closed at the end of the file. Every successful response to its
 * clients is checked against the operation's declared shape.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  const database = await testDatabase()
  const runtime = await openTestRuntime(folder, database.url, options)
  const app = await buildApp(runtime)
  const base_url = await app.listen({ host: '127.0.0.1', port: 0 })
  // links are built with each response, so setting the address now is early enough
  runtime.deps.public_url = base_url
  if (options.engine_socket) await runtime.warehouse.ensureSchema()
  const runner = options.worker ? await startWorker(runtime, `test-${process.pid}`) : null
  runtime.phase = 'serving'
  const { deps } = runtime
  const write = <T>(work: (c: Parameters<typeof createAccount>[0]) => Promise<T>) =>
    inTransaction(deps.db, (tx) => work({ ...deps, tx, actor: systemActor('test', null) }))
  const clientOf = (credentials?: { access_key: string; secret_key: string }) =>
    createDemarcClient({
      retry: false,
      timeout_ms: hang_ms,
      base_url,
      fetch: checkingFetch,
      ...(credentials ? { credentials } : {}),
    })
  const newAccount = async (name: string, scopes?: string[]): Promise<TestAccount> =>
    write(async (c) => {
      const { id } = await createAccount(c, name)
      const { key, secret_key } = await createKey(c, id, { name: 'test', scopes })
      const credentials = { access_key: key.access_key, secret_key }
      return { id, credentials, client: clientOf(credentials) }
    })
  const made = await write((c) => createOperatorKey(c, 'test operator'))
  const operator_credentials = { access_key: made.key.access_key, secret_key: made.secret_key }
  let closing: Promise<void> | undefined
  const close = () =>
    (closing ??= (async () => {
      await runner?.stop(2000)
      await app.close()
      await runtime.close()
      await rm(folder, { recursive: true, force: true })
    })())
  closeBeforeDatabase(close)
  if (!runtime.movable) throw new Error('the tests run in demo mode')
  return {
    base_url,
    operator: clientOf(operator_credentials),
    operator_credentials,
    account: await newAccount('Harbor Dental'),
    other: await newAccount('Another account'),
    newAccount,
    anonymous: clientOf(),
    db: deps.db,
    clock: runtime.movable,
    runtime,
    runner,
    close,
  }
}

function openTestRuntime(folder: string, database_url: string, options: TestServerOptions): Promise<Runtime> {
  const config = readConfig(
    {
      DEMARC_DATA: folder,
      DEMARC_PORT: '0',
      DATABASE_URL: database_url,
      DEMARC_REQUESTS_PER_MINUTE: '1000000',
      ...UNHURRIED,
      ...options.env,
    },
    { demo: true },
  )
  const log = process.env['DEMARC_TEST_LOG'] ? createLog('debug', 'test') : silentLog
  const pepper = 'a pepper for tests, of no value outside them'
  const installation = {
    database_url,
    database_direct_url: config.database_direct_url,
    warehouse: { socket: options.engine_socket ?? path.join(folder, 'no-engine.sock') },
    files_dir: path.join(folder, 'files'),
    folders: [folder],
    secrets: { pepper, seal_keys: [{ id: 'test', key: 'a sealing key for tests, of no value' }] },
    public_url: '',
  }
  return openRuntime(config, installation, 'test', log, options.overrides)
}
