#!/usr/bin/env node
import { exitStatuses } from './failure.ts'
import { processIo } from './io.ts'
import { run } from './run.ts'

/** The process. The first Ctrl-C aborts the command, the second exits immediately. */

const interrupted = new AbortController()
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) process.exit(exitStatuses.interrupted)
  interrupted.abort(new DOMException('Interrupted.', 'AbortError'))
})
process.on('SIGTERM', () => interrupted.abort(new DOMException('Ended.', 'AbortError')))
// each write reports its own error to its caller; without a listener the stream would also throw it
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await run(process.argv.slice(2), processIo(interrupted.signal))
// a connection that is kept alive, or standard input, must not keep the process
process.stdin.unref?.()
