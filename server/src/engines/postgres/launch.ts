import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/postgres/log.ts'
import { StartRefused } from '../../platform/start-refused.ts'
import { findBinaries, type Binaries } from './binaries.ts'
import { createCluster, environment, refuseOtherVersion } from './cluster.ts'
import { acceptsConnections } from './control.ts'
import { makePrivateFolder, SOCKET_PORT, type DataDirectory } from './data-directory.ts'
import { commandAs, livePostmaster, takeOverStalePidFile, becomeOwner } from './process.ts'
import { HANGS_AFTER_MS, REPORT_MS } from './running.ts'
import { childrenIdleness, killOrphans, shutDown } from './shutdown.ts'

export interface ServerOptions {
  /**
   * Server settings that override the defaults, as in postgresql.conf. `fsync: 'off'` also creates the database without syncing
   * it.
   */
  settings?: Record<string, string>
  /** Called after spawning a process, so the caller can work while it starts. */
  onSpawn?: () => void
  log: Log
}

const ATTEMPTS_MAX = 5
const POLL_MS = 15
const LOG_BYTES_MAX = 10_000_000

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  // Parallel queries need /dev/shm, which has only 64 MB in a container, and no query here benefits from them.
  max_parallel_workers_per_gather: '0',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

/**
 * Starts a server on the data folder, which it creates if missing, and resolves when the server accepts connections. A crash
 * recovery may take as long as it needs. Restarts a server that is killed during startup, up to ATTEMPTS_MAX times. If the
 * server exits or hangs, throws an error with its output. Call under the start lock while no server is running.
 */
export async function launch(
  directory: DataDirectory,
  socket_folder: string,
  options: ServerOptions,
): Promise<ChildProcess> {
  const binaries = await findBinaries(directory.account, options.log)
  if (existsSync(directory.cluster)) refuseOtherVersion(directory, binaries)
  else {
    const creating = createCluster(directory, binaries, options)
    options.onSpawn?.()
    await creating
  }
  for (let attempt = 1; ; attempt += 1) {
    const { child, failure } = await launchOnce(directory, binaries, socket_folder, options)
    if (failure === undefined) return child
    const error = new StartRefused(`The database server in ${directory.home} did not start: ${failure}`)
    // the signal killed either the postmaster or its startup process, after which the postmaster exits
    const killed = child.signalCode !== null || failure.includes('was terminated by signal')
    if (!killed || attempt === ATTEMPTS_MAX) throw error
    options.log.warn({ err: error, attempt }, 'the database server was killed during startup; restarting it')
  }
}

async function launchOnce(
  directory: DataDirectory,
  binaries: Binaries,
  socket_folder: string,
  options: ServerOptions,
): Promise<{ child: ChildProcess; failure: string | undefined }> {
  const { cluster, account, home } = directory
  await killOrphans(cluster)
  takeOverStalePidFile(cluster)
  makePrivateFolder(socket_folder, account)
  removeStaleSocket(socket_folder)
  const { file, args, identity } = commandAs(account, 'INT', [
    binaries.postgres,
    ...serverArguments(cluster, socket_folder, options),
  ])
  becomeOwner(home)
  const log = openLog(home)
  // Detached because Ctrl-C signals the whole process group, and the database must outlive its clients.
  const child = spawn(file, args, {
    ...identity,
    env: environment(),
    cwd: '/',
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  closeSync(log.fd)
  options.onSpawn?.()
  const spawn_error = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)))
  child.unref()
  const failure = await Promise.race([spawn_error, untilReady(directory, socket_folder, child, options.log)])
  return { child, failure: failure === undefined ? undefined : `${failure}\n${log.written()}` }
}

function serverArguments(cluster: string, socket_folder: string, { settings }: ServerOptions): string[] {
  const socket_folders = `"${socket_folder.replaceAll('"', '""')}"`
  const all = { ...SETTINGS, unix_socket_directories: socket_folders, ...settings }
  const pairs = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', cluster, '-p', `${SOCKET_PORT}`, ...pairs]
}

/** Resolves with undefined when the server is ready, or with the reason when it failed to start. */
async function untilReady(
  { cluster, home }: DataDirectory,
  socket_folder: string,
  child: ChildProcess,
  log: Log,
): Promise<string | undefined> {
  const pid = child.pid ?? 0
  const idleMs = childrenIdleness(cluster, pid)
  const began = performance.now()
  let reported_at = began
  while (!hasExited(child)) {
    const found = livePostmaster(cluster)
    if (found?.pid === pid && found.status === 'ready' && (await acceptsConnections(socket_folder))) return undefined
    if (idleMs() >= HANGS_AFTER_MS) {
      await shutDown(cluster, pid)
      return `it was idle for ${HANGS_AFTER_MS / 1000} seconds`
    }
    if (performance.now() - reported_at > REPORT_MS) {
      reported_at = performance.now()
      const waited_s = Math.round((reported_at - began) / 1000)
      log.warn(
        { pid, waited_s, data_dir: home },
        'the database server is not ready yet; it may be recovering from a crash',
      )
    }
    await sleep(POLL_MS)
  }
  return `it exited with ${child.signalCode ?? `code ${child.exitCode}`}`
}

export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** A killed server leaves these files, and another process may have its pid by now. Only this server uses the folder. */
function removeStaleSocket(socket_folder: string): void {
  for (const suffix of ['', '.lock'])
    rmSync(path.join(socket_folder, `.s.PGSQL.${SOCKET_PORT}${suffix}`), { force: true })
}

interface ServerLog {
  fd: number
  /** The end of the output since this log was opened. */
  written(): string
}

/** A file rather than a pipe: the server may outlive this process, and must never block on its event loop. */
function openLog(home: string): ServerLog {
  const file = path.join(home, 'postgres.log')
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.old`)
  const fd = openSync(file, 'a', 0o600)
  const start = statSync(file).size
  return { fd, written: () => readFileSync(file).subarray(start).toString().slice(-4_000) }
}
