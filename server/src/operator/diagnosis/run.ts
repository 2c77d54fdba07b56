import type { Log } from '../../platform/db.ts'
import { within } from '../../platform/patience.ts'
import { checks, failed, limit_ms as usual_limit_ms, type CheckName, type Finding, type Result } from './checks.ts'

/** Runs the checks. None can delay or end the others. */

export type Findings = Finding | readonly Finding[]
/** What each check does; the signal aborts at its limit. */
export type Probes = Readonly<Record<CheckName, (signal: AbortSignal) => Promise<Findings> | Findings>>

export interface CheckedFinding extends Finding {
  check: CheckName
  docs: string
}

const order: readonly Result[] = ['failed', 'warning', 'ok']

/** Every finding, problems first. A check without a result after `limit_ms` has failed. */
export async function diagnose(probes: Probes, log: Log, limit_ms: number = usual_limit_ms): Promise<CheckedFinding[]> {
  // the keys are those of `checks`: the type of Probes says so
  const names = Object.keys(checks) as CheckName[]
  const found = await Promise.all(
    names.map(async (check) => {
      const findings = await findingsOf(check, probes[check], log, limit_ms)
      return findings.map((finding) => ({ check, ...finding, docs: checks[check].docs }))
    }),
  )
  return found.flat().toSorted((a, b) => order.indexOf(a.result) - order.indexOf(b.result))
}

/** undefined_table, undefined_column */
const not_migrated = ['42P01', '42703']
/** Node's codes of connections that were not made or were lost. */
const not_connected = /^(ECONN|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|EPIPE)/

async function findingsOf(
  check: CheckName,
  probe: Probes[CheckName],
  log: Log,
  limit_ms: number,
): Promise<readonly Finding[]> {
  const { otherwise } = checks[check]
  const aborting = new AbortController()
  // a probe that ignores the signal must not end the process when it fails later
  const probing = (async () => [await probe(aborting.signal)].flat())()
  probing.catch(() => undefined)
  try {
    const findings = await within(probing, limit_ms)
    if (findings !== 'silent') return findings
    return [failed(`No response within ${limit_ms / 1000} s.`, otherwise)]
  } catch (error) {
    // the log has the error; its message may name users and hosts
    log.warn({ err: error, check }, 'a check of the installation failed')
    const code = codeOf(error)
    if (not_migrated.includes(code))
      return [failed('The database lacks a table or column.', 'See the check migrations.')]
    return [failed(`${not_connected.test(code) ? 'No connection' : 'The check failed'} (${code}).`, otherwise)]
  } finally {
    aborting.abort()
  }
}

/** The errors of PostgreSQL's driver that have no code: of connections that were not made in time, and that were lost. */
const uncoded = [
  [/timeout/i, 'ETIMEDOUT'],
  [/^Connection (terminated|ended)/, 'ECONNRESET'],
] as const

/** A driver's or Node's code, or the error's name. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const coded = [error, cause].find((each) => each instanceof Error && 'code' in each && typeof each.code === 'string')
  if (coded instanceof Error && 'code' in coded) return String(coded.code)
  return uncoded.find(([message]) => error.name === 'Error' && message.test(error.message))?.[1] ?? error.name
}
