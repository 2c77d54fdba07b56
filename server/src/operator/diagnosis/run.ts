import type { Log } from '../../platform/db.ts'
import { within } from '../../platform/patience.ts'
import { StartRefused } from '../../platform/start-refused.ts'
import { WarehouseRefused } from '../../engines/call-records/index.ts'
import { checks, failed, limit_ms as usual_limit_ms, reads_database, warning } from './checks.ts'
import type { CheckName, Finding, Result } from './checks.ts'
import { refusal } from './data/rules.ts'

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
  const outcomes = await Promise.all(
    names.map(async (check) => ({ check, ...(await outcomeOf(check, probes[check], log, limit_ms)) })),
  )
  return withOneCause(outcomes)
    .flatMap(({ check, findings }) => findings.map((finding) => ({ check, ...finding, docs: checks[check].docs })))
    .toSorted((a, b) => order.indexOf(a.result) - order.indexOf(b.result))
}

interface Outcome {
  findings: readonly Finding[]
  /** Why the check ended without findings of its own. */
  ended: 'store-refused' | 'not-migrated' | 'error' | null
}

/** What keeps other checks from their work is reported once. */
function withOneCause(outcomes: readonly (Outcome & { check: CheckName })[]): typeof outcomes {
  const has = (name: CheckName, holds: (outcome: Outcome) => boolean) =>
    outcomes.some((each) => each.check === name && holds(each))
  const no_database = has('database', ({ ended }) => ended !== null)
  const not_migrated = has('migrations', ({ findings }) => findings.some(({ result }) => result === 'failed'))
  return outcomes.map((outcome) => {
    const { check, ended } = outcome
    if (no_database && ended === 'error' && reads_database.includes(check))
      return { ...outcome, findings: [notChecked('the database cannot be used', 'database')] }
    return not_migrated && ended === 'not-migrated'
      ? { ...outcome, findings: [notChecked('the database is not migrated', 'migrations')] }
      : outcome
  })
}

const notChecked = (reason: string, cause: CheckName): Finding =>
  warning(`Not checked, because ${reason}.`, `See the check ${cause}.`)

async function outcomeOf(check: CheckName, probe: Probes[CheckName], log: Log, limit_ms: number): Promise<Outcome> {
  const aborting = new AbortController()
  // a probe that ignores the signal must not end the process when it fails later
  const probing = (async () => [await probe(aborting.signal)].flat())()
  probing.catch(() => undefined)
  try {
    const findings = await within(probing, limit_ms)
    if (findings !== 'silent') return { findings, ended: null }
    return { findings: [failed(`No response within ${limit_ms / 1000} s.`, checks[check].otherwise)], ended: 'error' }
  } catch (error) {
    // the log has the error; its message may name users and hosts
    log.warn({ err: error, check }, 'a check of the installation failed')
    return outcomeOfError(check, error)
  } finally {
    aborting.abort()
  }
}

/** undefined_table, undefined_column */
const not_migrated_codes = ['42P01', '42703']
/** Node's codes of connections that were not made or were lost. */
const not_connected = /^(ECONN|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|EPIPE)/

/** What the error of a check says about the installation. */
export function outcomeOfError(check: CheckName, error: unknown): Outcome {
  const { otherwise } = checks[check]
  if (error instanceof WarehouseRefused)
    return { findings: [refusal(error.message, otherwise)], ended: 'store-refused' }
  if (error instanceof StartRefused) return { findings: [refusal(error.message, otherwise)], ended: 'error' }
  const code = codeOf(error)
  if (not_migrated_codes.includes(code))
    return {
      findings: [failed('The database lacks a table or column.', 'See the check migrations.')],
      ended: 'not-migrated',
    }
  const details = `${not_connected.test(code) ? 'No connection' : 'The check failed'} (${code}).`
  return { findings: [failed(details, otherwise)], ended: 'error' }
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
