/**
 * An engine that accepts connections and never responds, for watchdog.test.ts: it `computes`, or `waits` as in a deadlock, or `waits while a
 * query computes` as after a native crash.
 */

import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'

const [socket = '', state = ''] = process.argv.slice(2)
process.once('disconnect', () => process.exit())
createServer().listen(socket, () => {
  process.send?.('listening', undefined, undefined, () => {
    if (state === 'computes') for (;;);
    if (state === 'waits while a query computes') new Worker('for (;;);', { eval: true }).once('online', wait)
    else wait()
  })
})

function wait(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
