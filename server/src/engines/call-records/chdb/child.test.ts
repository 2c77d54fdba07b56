import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { firstMessage } from './child.ts'

const idle_max_ms = 1_000

/** A process that runs the code instead of an engine, and when it has exited. */
function runs(t: TestContext, code: string): { child: ChildProcess; exited: Promise<string> } {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.after(() => child.kill('SIGKILL'))
  return { child, exited: new Promise((resolve) => child.once('close', (exit) => resolve(`exit code ${exit}`))) }
}

test('an engine that works is waited for, however long it takes', { skip: process.platform !== 'linux' }, async (t) => {
  const { child, exited } = runs(
    t,
    `const end = performance.now() + ${3 * idle_max_ms}
    while (performance.now() < end);
    process.send({ status: 'ready' })
    setInterval(() => undefined, 60_000)`,
  )
  assert.deepEqual(await firstMessage(child, exited, idle_max_ms), { status: 'ready' })
})

test('an engine that does nothing during its start, or exits, has failed', async (t) => {
  const idle = runs(t, 'setInterval(() => undefined, 60_000)')
  assert.deepEqual(await firstMessage(idle.child, idle.exited, idle_max_ms), {
    status: 'failed',
    reason: 'The engine stopped working during its start',
  })
  const ended = runs(t, 'process.exit(3)')
  assert.deepEqual(await firstMessage(ended.child, ended.exited), {
    status: 'failed',
    reason: 'The engine exited before it was ready (exit code 3)',
  })
})
