import { beginResult } from '../reliability/results.ts'
import { newFolder, startService } from '../support/service.ts'
import { figuresOf, latency, refusalViolations, shareOf, slownessOf, violationsOf } from './findings.ts'
import { overload, refusals } from './overload.ts'

/** `npm run overload`: three times the sustainable load for DEMARC_OVERLOAD_MINUTES. Exits with 1 if a limit is exceeded. */
const minutes = Number(process.env['DEMARC_OVERLOAD_MINUTES'] ?? 15)
const calibration_s = 30
/** A key with the production limit, and three times as much. */
const limited = { per_minute: 6_000, seconds: 90 }

const result = beginResult('overload', {
  title: 'Overload',
  about:
    'Measures the sustainable load with a closed loop, then sends three times as much at a constant rate from a separate process: lists, single numbers, E911 checks, changes, new routes, estimates, exports, and call records, from two accounts and the operator. Latency counts from the time a request was due. Memory and descriptors of every process are sampled every two seconds. Finally, one key exceeds the production rate limit.',
  command: 'npm run overload',
})
const unlimited = await inService({}, (service) => overload(service, minutes * 60, calibration_s))
const by_limit = await inService({ DEMARC_REQUESTS_PER_MINUTE: String(limited.per_minute) }, (service) =>
  refusals(service, limited.seconds, (3 * limited.per_minute) / 60),
)
const figures = [
  ...figuresOf(unlimited),
  {
    name: 'One key at three times the production limit: accepted',
    value: shareOf(by_limit.accepted, by_limit),
  },
  {
    name: '– refused',
    value: Object.entries(by_limit.refused)
      .map(([status, n]) => `${status}: ${shareOf(n, by_limit)}`)
      .join(', '),
  },
  { name: '– time to a refusal', value: latency(by_limit.refused_ms) },
]
const violations = [...violationsOf(unlimited), ...slownessOf(unlimited), ...refusalViolations(by_limit)]
await result.finish(
  [],
  [
    `The load lasted ${minutes} minutes. The load generator and the service share the machine.`,
    'Connections are opened before the load. Node accepts one per turn of its event loop, so new connections wait longer during an overload; a reverse proxy with keep-alive connections prevents this.',
    ...(violations.length === 0 ? ['No violations.'] : violations.map((each) => `Violation: ${each}.`)),
  ],
  figures,
)
for (const { name, value } of figures) console.log(`${name}: ${value}`)
for (const each of violations) console.error(each)
process.exitCode = violations.length === 0 ? 0 : 1

async function inService<T>(
  settings: Record<string, string>,
  work: (service: Awaited<ReturnType<typeof startService>>) => Promise<T>,
): Promise<T> {
  const service = await startService(await newFolder(), { DEMARC_LOG_LEVEL: 'error', ...settings })
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}
