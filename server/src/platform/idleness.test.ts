import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { idlenessMeter, loadFactor } from './patience.ts'
import { isRunning, tasksOf, taskOf, thisProcess, threadsOf, type Task } from './processes.ts'

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' }

describe('how long a program has done nothing', () => {
  for (const [what, second, idle_ms] of [
    ['is the time of tasks that sleep', { state: 'S', cpu_ms: 0 }, 500],
    ['is the time of tasks that were stopped', { state: 'T', cpu_ms: 0 }, 500],
    ['does not end by the periodic work of threads that wait', { state: 'S', cpu_ms: 10 }, 500],
    ['ends when a task waits for a processor', { state: 'R', cpu_ms: 0 }, 0],
    ['ends when a task waits for a disk', { state: 'D', cpu_ms: 0 }, 0],
    ['ends when a task has used processor time', { state: 'S', cpu_ms: 30 }, 0],
  ] as const)
    test(what, () => {
      const { at, idleMs } = meter({ main: { state: 'S', cpu_ms: 0 } })
      assert.equal(at(500, { main: second }), idle_ms)
      assert.equal(idleMs(), idle_ms)
    })

  test('continues when a task starts, which may only refuse a connection', () => {
    const { at } = meter({ main: { state: 'S', cpu_ms: 0 } })
    assert.equal(at(500, { main: { state: 'S', cpu_ms: 0 }, other: { state: 'R', cpu_ms: 0 } }), 500)
  })

  test('accumulates until something is done, and then starts over', () => {
    const { at } = meter({ main: { state: 'S', cpu_ms: 0 } })
    assert.equal(at(500, { main: { state: 'S', cpu_ms: 0 } }), 500)
    assert.equal(at(1_500, { main: { state: 'S', cpu_ms: 0 } }), 1_500)
    assert.equal(at(2_000, { main: { state: 'R', cpu_ms: 0 } }), 0)
    assert.equal(at(2_500, { main: { state: 'S', cpu_ms: 0 } }), 500)
  })

  test('counts at most a second of an interval in which the measuring process was stopped', () => {
    const { at } = meter({ main: { state: 'S', cpu_ms: 0 } })
    assert.equal(at(3_600_000, { main: { state: 'S', cpu_ms: 0 } }), 1_000)
  })
})

describe('a process', linux, () => {
  test('is distinguished from a later one with the same pid', () => {
    const self = thisProcess()
    assert.equal(isRunning(self), true)
    assert.equal(isRunning({ ...self, started: `${Number(self.started) - 1}` }), false)
  })

  test('that computes has used CPU time, and its threads are known', () => {
    const before = taskOf(process.pid)?.cpu_ms ?? assert.fail()
    while ((taskOf(process.pid)?.cpu_ms ?? 0) < before + 50);
    assert.ok(threadsOf(process.pid).size > 1)
  })

  test('is unknown once it has exited, even before its parent has noticed', async () => {
    const shell = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 600'])
    const [line] = (await once(shell.stdout, 'data')) as [Buffer]
    const zombie = Number(line.toString())
    while (taskOf(zombie));
    assert.equal(tasksOf([zombie, shell.pid ?? 0]).size, 1)
    shell.kill('SIGKILL')
    await once(shell, 'exit')
    assert.equal(taskOf(shell.pid ?? 0), undefined)
    assert.equal(threadsOf(shell.pid ?? 0).size, 0)
  })
})

/** A meter with tasks and a time set by the test. */
function meter(first: Record<string, Omit<Task, 'started'>>) {
  let tasks = first
  let now = 0
  const read = () => new Map(Object.entries(tasks).map(([id, task]) => [id, { ...task, started: '1' }]))
  const idleMs = idlenessMeter(read, () => now)
  const at = (time_ms: number, next: typeof first) => {
    now = time_ms
    tasks = next
    return idleMs()
  }
  return { at, idleMs }
}

test('a machine with more runnable tasks than processors gets more time, up to a limit', () => {
  assert.equal(loadFactor([0.5, 0, 0], 2), 1)
  assert.equal(loadFactor([6, 0, 0], 2), 3)
  assert.equal(loadFactor([200, 0, 0], 2), 5)
  assert.ok(loadFactor() >= 1)
})
