/**
 * The process `cdr-engine`: chDB behind the ClickHouse HTTP interface, on a Unix socket. `supervisor.ts` starts it as
 * `main.ts <folder> <socket>` with an IPC channel; when that channel closes, its parent is gone and so is it.
 *
 * chDB lives here and nowhere else: a native fault leaves its process hanging for minutes instead of ending it, which only a SIGKILL from
 * outside cures.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../limits.ts'
import { makeBridge } from './http.ts'
import { openSessions, type Sessions } from './sessions.ts'

/** What the engine tells its supervisor. */
export type EngineWord = { said: 'ready' } | { said: 'failed'; reason: string }

process.title = 'cdr-engine'
// Call records and the socket are for this user alone.
process.umask(0o077)
// A parent that was killed leaves no engine behind. Exiting would run chDB's own clean-up, which may wait; the store needs none.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A terminal or a service manager signals the whole group; the parent still needs the store while it shuts down, and says when.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const [folder = '', socket = ''] = process.argv.slice(2)
start(folder, socket)

function start(folder: string, socket: string): void {
  let sessions: Sessions
  try {
    sessions = openSessions(join(folder, 'store'))
  } catch (error) {
    tell({ said: 'failed', reason: error instanceof Error ? error.message : String(error) })
    return
  }
  // From here on the store is ours, and so are a socket and scratch files that an engine before us left.
  const scratch = join(folder, 'scratch')
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  rmSync(socket, { force: true })

  const healthy = watchEngine(sessions)
  const { server, busy } = makeBridge(sessions, scratch, healthy)
  server.listen(socket, () => tell({ said: 'ready' }))
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

/** Small queries at intervals: the socket is answered by Node, which may be well while the engine behind it hangs. */
function watchEngine(sessions: Sessions): () => boolean {
  let asked: number | undefined
  const probe = async (): Promise<void> => {
    if (asked !== undefined) return
    asked = performance.now()
    await sessions.control.use((session) => session.queryAsync('SELECT 1'))
    asked = undefined
  }
  setInterval(() => {
    probe().catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
  }, LIMITS.engine_probe_ms / 5)
  return () => asked === undefined || performance.now() - asked < LIMITS.engine_probe_ms
}

function tell(word: EngineWord): void {
  process.send?.(word)
}
