import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const stop = new URL('stop.ts', import.meta.url).href
const log = new URL('../platform/postgres/log.ts', import.meta.url).href

/** The exit code of a process that gets SIGINT at these times on its clock, and whose stop never ends by itself if `hangs`. */
function exitCode(times_ms: readonly number[], { hangs = false } = {}): number | null {
  const script = `
    const { stopOnSignals } = await import('${stop}')
    const { silentLog } = await import('${log}')
    let now = 0
    const stopper = stopOnSignals(silentLog, { now: () => now })
    const signals_sent = Promise.withResolvers()
    stopper.onStop(() => ${hangs ? 'new Promise(() => setInterval(() => undefined, 60_000))' : 'signals_sent.promise'})
    for (now of ${JSON.stringify(times_ms)}) process.emit('SIGINT')
    signals_sent.resolve()`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).status
}

test('Ctrl-C under npm, which arrives twice, stops cleanly', () => {
  assert.equal(exitCode([0]), 0)
  assert.equal(exitCode([0, 1]), 0)
  assert.equal(exitCode([0, 1_000]), 0)
})

test('a second Ctrl-C exits immediately', () => {
  assert.equal(exitCode([0, 1_001], { hangs: true }), 1)
  assert.equal(exitCode([0, 200, 5_000], { hangs: true }), 1)
})
