import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { disruptionsOf, mountSmallDisk, unmount } from './outages/disruptions.ts'
import { Acknowledged } from './outages/model.ts'
import { Traffic } from './outages/traffic.ts'
import { disrupt, type Trial } from './outages/trial.ts'
import { beginResult, recovery, type FaultRow } from './reliability/results.ts'
import { addNumbers, run } from './support/cast.ts'
import { copyDemoData, newFolder, startService } from './support/service.ts'

/**
 * How a service behaves while a dependency fails: every request gets a response within five seconds, either the usual one or a
 * 503 with Retry-After; operations that don't need the dependency keep working; afterward everything recovers, and nothing is
 * lost or duplicated.
 */
const rounds = Number(process.env['DEMARC_OUTAGE_ROUNDS'] ?? 1)

if (!existsSync('/proc/self/stat')) {
  test('failing dependencies', { skip: 'processes are found by /proc' }, () => undefined)
} else {
  const result = beginResult('outages', {
    title: 'Failing dependencies',
    about:
      'Fourteen clients, one for each kind of request, read and write steadily with Idempotency-Keys while a service’s PostgreSQL, call-record engine, and disk fail. Each response must come within 5 s and be the usual one or a 503 with `Retry-After`; liveness stays 200, and readiness reports the failure. Afterward every acknowledged route, export, call record, and alias is compared with the stored state.',
    command: 'npm run outages',
  })
  const folder = await newFolder()
  const own_disk = mountSmallDisk(folder)
  if (own_disk) after(() => unmount(folder))
  await copyDemoData(folder)
  const service = await startService(folder)
  after(() => service.stop())
  const own = service.process ?? assert.fail()
  const account_id = (await service.account.whoami()).body.data.account_id ?? assert.fail()
  const [number = assert.fail()] = await addNumbers(service, ['00'])
  const acknowledged = new Acknowledged(`dependency ${run}`)
  const traffic = new Traffic(service, account_id, number, acknowledged)
  traffic.start()
  const trials = new Map<string, Trial[]>()

  for (let round = 1; round <= rounds; round += 1)
    for (const disruption of disruptionsOf(own, own_disk))
      test(`${disruption.fault}: every response is prompt and either usual or a 503, and everything recovers`, async () => {
        const trial = await disrupt(disruption, traffic)
        trials.set(disruption.fault, [...(trials.get(disruption.fault) ?? []), trial])
        console.log(`  ${disruption.fault}: ${said(trial)}`)
        assert.deepEqual(trial.violations.slice(0, 20), [])
      })

  test('disk full', { skip: own_disk ? false : 'this user may not mount a disk' }, () =>
    assert.ok(trials.has('Disk full')),
  )

  test('nothing acknowledged is lost, nothing is duplicated, and every export is completed', async () => {
    await traffic.stop()
    const { lost, doubled } = await acknowledged.compare(service, account_id, number)
    const rows = [...trials].map(([fault, each]): FaultRow => {
      const times = each.map(({ recovery_ms }) => recovery_ms)
      return {
        fault,
        tries: each.length,
        lost: lost.length,
        doubled: doubled.length,
        recovery_ms: recovery(times),
        remark: remarkOf(each),
      }
    })
    await result.finish(rows, [
      `${acknowledged.writes()} acknowledged writes were compared.`,
      'Lost and doubled are totals for all disruptions. The service kills and restarts an engine or a database that hangs indefinitely.',
    ])
    assert.deepEqual({ lost, doubled }, { lost: [], doubled: [] })
  })
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const said = ({ recovery_ms, noticed_ms, slowest_ms, slowest, responses, refused }: Trial) =>
  `recovered in ${seconds(recovery_ms)}, readiness after ${noticed_ms === null ? '–' : seconds(noticed_ms)}, slowest ${seconds(slowest_ms)} (${slowest}), ${refused} of ${responses} refused`

function remarkOf(trials: readonly Trial[]): string {
  const longest = (of: (trial: Trial) => number | null) => Math.max(...trials.map((trial) => of(trial) ?? 0))
  const noticed_ms = longest((trial) => trial.noticed_ms)
  return [
    `slowest response ${seconds(longest(({ slowest_ms }) => slowest_ms))}`,
    ...(noticed_ms > 0 ? [`readiness reports it within ${seconds(noticed_ms)}`] : []),
  ].join('; ')
}
