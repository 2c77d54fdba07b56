import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { killAt, stages, uninterruptedDigest, type KillResult } from '../support/crash.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasEnded, newDemoFolder, processNames, removeFolder, startService } from '../support/service.ts'

/**
 * Kills each process of a real service at each stage of an export. `CRASH_ROUNDS` is the number of kills;
 * 16 cover each pair once. Prints the recovery times.
 */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 16)

const folder = await newDemoFolder()
let service = await startService(folder)
after(async () => {
  if (!hasEnded(service.child)) await service.stop()
  await removeFolder(folder)
})

test(`${rounds} kills: every export completes once, with the right file, and its callback is received`, async (t) => {
  const receiver = await startReceiver()
  const digest = await uninterruptedDigest(service)
  const done: KillResult[] = []
  for (let n = 0; n < rounds; n++) {
    const victim = processNames[n % processNames.length] ?? 'main'
    const stage = stages[Math.floor(n / processNames.length) % stages.length] ?? 'requested'
    const killed = await killAt(service, receiver, { victim, stage, path: `/round-${n}`, digest })
    service = killed.service
    done.push(killed.result)
    const { recovered_ms, callbacks } = killed.result
    t.diagnostic(
      `round ${n + 1}: ${victim} killed while ${stage}: recovered in ${recovered_ms} ms, callbacks ${callbacks}`,
    )
  }
  for (const victim of processNames) {
    const times = done
      .filter((r) => r.victim === victim)
      .map((r) => r.recovered_ms)
      .toSorted((a, b) => a - b)
    if (times.length > 0)
      t.diagnostic(
        `${victim}: median ${times[Math.floor(times.length / 2)]} ms, longest ${times.at(-1)} ms of ${times.length}`,
      )
  }
  assert.equal(await uninterruptedDigest(service), digest, 'the data is unchanged')
  const { code } = await service.stop()
  assert.equal(code, 0)
})
