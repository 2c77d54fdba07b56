/**
 * The process `cdr-engine`: chDB behind the ClickHouse HTTP interface, on a Unix socket. `supervisor.ts` starts it as `main.ts
 * <folder> <socket> [config file]` with an IPC channel; when that channel closes, the parent has exited and this process exits too.
 *
 * chDB is loaded only in this process: after a native crash, its process hangs for minutes until another process sends SIGKILL.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../limits.ts'
import { endOnBrokenPart, stopMergesOnFullDisk } from './disk.ts'
import { makeHttpBridge } from './http.ts'
import { openSessions, type Sessions } from './sessions.ts'

/** Messages from the engine to its supervisor. */
export type EngineMessage = { status: 'ready' } | { status: 'failed'; reason: string }

process.title = 'cdr-engine'
// Restrict call records and the socket to this user.
process.umask(0o077)
// The engine must not outlive a killed parent. Exiting normally would run chDB's cleanup, which may block; the store does not need it.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A terminal or service manager signals the whole process group, but the parent needs the store while it shuts down, and then sends `stop`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const [folder = '', socket = '', config_file] = process.argv.slice(2)
start(folder, socket, config_file)

function start(folder: string, socket: string, config_file: string | undefined): void {
  let sessions: Sessions
  try {
    sessions = openSessions(join(folder, 'store'), config_file)
  } catch (error) {
    sendToParent({ status: 'failed', reason: error instanceof Error ? error.message : String(error) })
    return
  }
  // This process now holds the store's lock, so it can remove the socket and scratch files of a previous engine.
  const scratch = join(folder, 'scratch')
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  rmSync(socket, { force: true })

  const healthy = watchResponsiveness(sessions)
  void stopMergesOnFullDisk(sessions, folder)
  const { server, busy } = makeHttpBridge(sessions, scratch, { healthy, onError: endOnBrokenPart })
  server.listen(socket, () => sendToParent({ status: 'ready' }))
  process.on('message', (message) => {
    if (message === 'stop') stop()
  })

  function stop(): void {
    server.close()
    const waited = setInterval(() => {
      if (busy() > 0) return
      clearInterval(waited)
      sessions.close()
      process.exit(0)
    }, 20)
  }
}

/** Probes chDB at intervals: Node's HTTP server may respond while the engine hangs. */
function watchResponsiveness(sessions: Sessions): () => boolean {
  let probe_sent_at: number | undefined
  const probe = async (): Promise<void> => {
    if (probe_sent_at !== undefined) return
    probe_sent_at = performance.now()
    await sessions.control.use((session) => session.queryAsync('SELECT 1'))
    probe_sent_at = undefined
  }
  setInterval(() => {
    probe().catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
  }, LIMITS.engine_probe_ms / 5)
  return () => probe_sent_at === undefined || performance.now() - probe_sent_at < LIMITS.engine_probe_ms
}

function sendToParent(word: EngineMessage): void {
  process.send?.(word, undefined, undefined, (error) => {
    if (error) process.kill(process.pid, 'SIGKILL')
  })
}
