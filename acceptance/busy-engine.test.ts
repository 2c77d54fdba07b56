import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginResult } from './reliability/results.ts'
import { queryEngine } from './support/engine.ts'
import { childOf } from './support/processes.ts'
import { openService } from './support/service.ts'

/**
 * A call-record engine on an overloaded machine is slow, not dead, so nothing may restart it. Short here, a minute with `npm
 * run busy-engine` (DEMARC_BUSY_SECONDS).
 */
const seconds = Number(process.env['DEMARC_BUSY_SECONDS'] ?? 4)
/** CPU-bound processes per core. */
const busy_per_core = 6
const queries_at_once = 3
const pause_ms = 250

const result = beginResult('busy-engine', {
  title: 'A busy machine',
  about:
    'Six CPU-bound processes per core and three queries keep the machine and the call-record engine busy. Meanwhile the test repeatedly sends the engine its simplest query. A watchdog that mistakes slow for dead would restart it.',
  command: 'npm run busy-engine',
})

const service = await openService()
after(() => service.stop())

test('an engine that is slow on a busy machine is not restarted, and responds', async (t) => {
  if (service.process === null) return t.skip('the service was not started by these tests')
  const { pid, data_dir } = service.process
  const engine = childOf(pid, 'cdr-engine')
  assert.notEqual(engine, null)
  const [before = 0] = os.loadavg()
  const end = performance.now() + seconds * 1000
  // they exit by themselves, even if this process is killed
  const program = `const end = Date.now() + ${seconds * 1000}; while (Date.now() < end);`
  const computing = Array.from({ length: busy_per_core * os.availableParallelism() }, () =>
    once(spawn(process.execPath, ['-e', program], { stdio: 'ignore' }), 'exit'),
  )
  const query = 'select sum(cityHash64(number)) from numbers(200000000)'
  const asking = Array.from({ length: queries_at_once }, async () => {
    while (performance.now() < end) await queryEngine(data_dir, query)
  })
  const waits_ms: number[] = []
  let restarts = 0
  while (performance.now() < end) {
    const began = performance.now()
    assert.equal(await queryEngine(data_dir, 'select 1'), '1')
    waits_ms.push(performance.now() - began)
    if (childOf(pid, 'cdr-engine') !== engine) restarts += 1
    await sleep(pause_ms)
  }
  const [load = 0] = os.loadavg()
  await Promise.all([...asking, ...computing])
  assert.equal(restarts, 0)
  const longest_ms = Math.round(Math.max(...waits_ms))
  await result.finish(
    [
      {
        fault: `Load from ${before.toFixed(0)} to ${load.toFixed(0)} for ${seconds} s`,
        tries: waits_ms.length,
        lost: 0,
        doubled: 0,
        recovery_ms: null,
        remark: `no restart; the slowest response to the simplest query took ${longest_ms} ms`,
      },
    ],
    [],
  )
})
