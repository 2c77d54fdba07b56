import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { LIMITS } from '../limits.ts'
import { hangs, pulses, type Pulse } from './watchdog.ts'

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' }
const folder = await mkdtemp(join(tmpdir(), 'cdr-watchdog-'))
after(() => rm(folder, { recursive: true, force: true }))
const never = new Promise<string>(() => undefined)
const idleMachine = () => 1

describe('an engine that does not respond', () => {
  const silence = LIMITS.engine_silence_ms
  for (const [what, input, expected] of [
    ['and is idle hangs', { silent_ms: silence, idle_ms: silence, load: 1 }, true],
    ['is not considered hung before the limit', { silent_ms: silence - 1, idle_ms: silence, load: 1 }, false],
    ['and was recently active is slow', { silent_ms: 10 * silence, idle_ms: silence - 1, load: 1 }, false],
    ['gets more time on a busy machine', { silent_ms: 3 * silence, idle_ms: 3 * silence, load: 4 }, false],
    ['eventually counts as hung on a busy machine', { silent_ms: 4 * silence, idle_ms: 4 * silence, load: 4 }, true],
    [
      'eventually counts as hung, even if active',
      { silent_ms: LIMITS.engine_silence_max_ms, idle_ms: 0, load: 10 },
      true,
    ],
  ] as const)
    test(what, () => assert.equal(hangs(input), expected))
})

describe('the process of an engine that does not respond', linux, () => {
  for (const state of ['waits', 'waits while a query computes'] as const)
    test(`hangs when it ${state}`, async () => {
      const last = await silentUntil(state, (pulse) => pulse.hangs)
      assert.ok(last.silent_ms < LIMITS.engine_silence_max_ms)
    })

  test('is slow, not hung, while it computes', async () => {
    const last = await silentUntil(
      'computes',
      ({ hangs, silent_ms }) => hangs || silent_ms > 2 * LIMITS.engine_silence_ms,
    )
    assert.equal(last.hangs, false)
  })
})

test('a late response counts', async () => {
  const socket = join(folder, 'late.sock')
  const respond: (() => void)[] = []
  const server = createServer((_request, response) => respond.push(() => response.end())).listen(socket)
  await once(server, 'listening')
  after(() => server.close())
  const seen: Pulse['kind'][] = []
  for await (const { kind } of pulses(socket, never, undefined, idleMachine)) {
    seen.push(kind)
    if (seen.length === 2) respond.shift()?.()
    if (seen.length === 3) break
  }
  assert.deepEqual(seen, ['silent', 'silent', 'response'])
})

test("another process's engine is lost when nothing listens on its socket", async () => {
  for await (const pulse of pulses(join(folder, 'nobody.sock'), never))
    if (pulse.kind === 'silent' && pulse.hangs) return
})

type Silent = Extract<Pulse, { kind: 'silent' }>

/** Starts a process that does not respond, and monitors it until a pulse meets the condition. */
async function silentUntil(
  state: 'computes' | 'waits' | 'waits while a query computes',
  condition: (pulse: Silent) => boolean,
): Promise<Silent> {
  const socket = join(folder, `${state.length}.sock`)
  const child = fork(join(import.meta.dirname, 'testing/silent.ts'), [socket, state], { execArgv: [] })
  try {
    await once(child, 'message')
    for await (const pulse of pulses(socket, never, child.pid, idleMachine)) {
      assert.equal(pulse.kind, 'silent')
      if (pulse.kind === 'silent' && condition(pulse)) return pulse
    }
    return assert.fail()
  } finally {
    child.kill('SIGKILL')
  }
}
