import { setTimeout as sleep } from 'node:timers/promises'
import { isMachineBusy, loadFactor } from '../support/processes.ts'
import { until } from '../support/until.ts'
import type { Disruption } from './disruptions.ts'
import { isUsual, type Seen, type Traffic } from './traffic.ts'

/** Observations of one disruption. */
export interface Trial {
  /** Errors, as sentences. */
  violations: string[]
  /** From the end of the disruption (or its beginning, if the service must end it) to the first usual response of every kind. */
  recovery_ms: number
  /** Time until readiness reported it; null if it didn't, or didn't need to. */
  noticed_ms: number | null
  slowest_ms: number
  /** The kind of the slowest request. */
  slowest: string
  /** Number of responses, and of refusals among them. */
  responses: number
  refused: number
}

const response_ms_max = 5_000
/** Only a hang takes this long. */
const recovery_ms_max = 90_000

/** Disrupts a dependency, ends the disruption, and waits until everything has recovered. */
export async function disrupt(
  { begin, lasts_ms, isUnaffected, readiness }: Disruption,
  traffic: Traffic,
): Promise<Trial> {
  await untilUsual(traffic, 0)
  const began = performance.now()
  const disruption = await begin()
  const noticed = () =>
    traffic.since(began).find(({ kind, body }) => kind.name === 'readiness' && readiness?.test(body))
  const self_healing = 'isOver' in disruption
  let ended = began
  if (self_healing) await until('the disruption to end', recovery_ms_max, disruption.isOver)
  else
    try {
      await sleep(lasts_ms)
      if (readiness !== null)
        await until('readiness to say what is wrong', recovery_ms_max, () => noticed() !== undefined)
    } finally {
      ended = performance.now()
      await disruption.end()
    }
  await untilUsual(traffic, performance.now())
  const seen = traffic.since(began)
  const during = self_healing ? seen : seen.filter((each) => each.began + each.ms < ended)
  const found = noticed()
  const slowest = seen.toSorted((a, b) => b.ms - a.ms)[0]
  return {
    violations: [
      ...seen.flatMap(violationsOf),
      ...during
        .filter((each) => isUnaffected(each.kind) && !isUsual(each) && !isOverload(each))
        .map((each) => `${each.kind.name} did not go on: ${each.status} ${each.body.slice(0, 200)}`),
      ...(readiness !== null && !found ? ['readiness did not say what is wrong'] : []),
    ],
    recovery_ms: performance.now() - ended,
    noticed_ms: found ? found.began + found.ms - began : null,
    slowest_ms: slowest?.ms ?? 0,
    slowest: slowest?.kind.name ?? '',
    responses: seen.length,
    refused: seen.filter((each) => !isUsual(each)).length,
  }
}

/** Waits for a usual response of every kind to a request sent since then. */
async function untilUsual(traffic: Traffic, since: number): Promise<void> {
  const missing = () => {
    const usual = new Set(
      traffic
        .since(since)
        .filter(isUsual)
        .map(({ kind }) => kind),
    )
    return traffic.kinds.filter((kind) => !usual.has(kind)).map(({ name }) => name)
  }
  const isUsualAgain = until('all to be as before', recovery_ms_max, () => missing().length === 0)
  await isUsualAgain.catch((error: unknown) => {
    const last = traffic.since(since).filter(({ kind }) => missing().includes(kind.name))
    throw new Error(`No usual response to ${missing().join(', ')}. ${nameOf(last.at(-1))}`, { cause: error })
  })
}

function nameOf(seen: Seen | undefined): string {
  if (seen === undefined) return 'None was sent.'
  const { kind, status, headers, body } = seen
  return `${kind.name}, request ${String(headers['x-request-id'] ?? 'without an id')}: ${status} ${body.slice(0, 300)}`
}

const isOverload = ({ body }: Seen): boolean =>
  isMachineBusy() && body.includes('The service has more requests than it can work on at the moment.')

/** A response must be the usual one or a refusal with Retry-After, and soon in either case. */
function violationsOf(seen: Seen): string[] {
  const { kind, status, headers, body, ms } = seen
  const found: string[] = []
  if (ms > response_ms_max * loadFactor()) found.push(`${kind.name} took ${Math.round(ms)} ms: ${status}`)
  if (isUsual(seen)) return found
  const text = nameOf(seen)
  // 409: the first request with this key, which got no response, is still in progress
  if (status !== 503 && !(status === 409 && kind.writes)) return [...found, text]
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) found.push(`no Retry-After, ${text}`)
  if (!body.startsWith('{"errors":[{')) found.push(`no error body, ${text}`)
  return found
}
