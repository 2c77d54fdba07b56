import { createDemarcClient, DemarcError } from '@demarc/client/light'
import type { Context } from '../context.ts'
import { connectionText, systemError } from '../errors.ts'
import { isObject } from '../item.ts'
import { textOf } from '../table.ts'
import { Failure, type ExitStatus } from '../failure.ts'
import type { Connection } from '../settings.ts'
import type { Verb } from '../verb.ts'
import { version } from '../version.ts'
import { visible } from '../visible.ts'

/** Checks everything a command needs, in order of dependency. */

interface Check {
  check: string
  result: 'ok' | 'warning' | 'failed'
  details: string
  /** What fixes it, and the page about it. */
  remedy?: string | null
  docs?: string
  /** Nothing else can be checked. */
  is_final?: boolean
  /** The command's exit status if this check fails. */
  exit?: ExitStatus
}

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Diagnose settings, connection, key, and clock',
  description:
    'With --operator, the service also checks its own installation, and each problem comes with its fix. Needs an operator key.',
  operations: ['ready', 'whoami', 'diagnose'],
  options: [{ name: 'operator', summary: 'Also check the installation of the service' }],
  examples: ['doctor', 'doctor --profile night --json', 'doctor --operator'],
  async run(context, input) {
    const connection = await context.connection()
    const checks = [
      settingsCheck(connection),
      transportCheck(connection),
      ...(await serviceChecks(context, connection)),
    ]
    if (input.flag('operator')) {
      // one that is not ready knows why
      if (!checks.some(({ is_final }) => is_final)) checks.push(...(await installationChecks(context, connection)))
      await printFindings(context, checks)
    } else
      await context.output.list(
        checks.map(({ check, result, details }) => ({ check, result, details })),
        ['check', 'result', 'details'],
      )
    const failed = checks.find(({ result }) => result === 'failed')
    if (!failed) return
    throw new Failure({
      exit: failed.exit ?? 'general',
      status: 'doctor',
      lines: [{ field: failed.check, message: failed.details }],
    })
  },
}

/** What the service found in its own installation, or why it could not be asked. */
async function installationChecks({ signal }: Context, { url, credentials }: Connection): Promise<Check[]> {
  const client = createDemarcClient({ base_url: url, retry: false, ...(credentials ? { credentials } : {}) })
  try {
    return (await client.diagnose({}, { signal })).body.data.checks
  } catch (error) {
    if (!(error instanceof DemarcError)) throw error
    return [
      {
        check: 'installation',
        result: 'failed',
        details: `the service did not check itself: ${error.message}`,
        remedy: 'On the server, run: npm run serve -- --doctor',
        docs: 'docs/operate/doctor.md',
      },
    ]
  }
}

/** For people, each problem in full, with its remedy below: a table would cut both. */
async function printFindings({ output }: Context, checks: readonly Check[]): Promise<void> {
  const items = checks.map(({ check, result, details, remedy = null, docs = null }) => ({
    check,
    result,
    details,
    remedy,
    docs,
  }))
  if (output.format !== 'table') return output.list(items)
  const lines = items.map(({ check, result, details, remedy, docs }) => {
    const line = `${result.padEnd(7)}  ${check}: ${details}`
    if (remedy === null) return line
    // the other check has the fix
    if (/^See the check \w+\.$/.test(remedy)) return `${line} ${remedy}`
    return [line, `Fix: ${remedy}`, `See ${docs}`].join('\n         ')
  })
  await output.bytes(`${visible(lines.join('\n'))}\n`)
}

const settingsCheck = (connection: Connection): Check => ({
  check: 'settings',
  result: connection.credentials ? 'ok' : 'warning',
  details: connectionText(connection) + (connection.credentials ? '' : '; run `demarc login` to save a key'),
})

/** Without TLS, anyone on the network path can read the key. */
function transportCheck({ url }: Connection): Check {
  const { protocol, hostname } = new URL(url)
  const is_local = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (protocol === 'https:') return { check: 'transport', result: 'ok', details: 'TLS' }
  return is_local
    ? { check: 'transport', result: 'ok', details: 'no TLS, but on this machine' }
    : { check: 'transport', result: 'warning', details: 'no TLS: others on the network can read the key' }
}

async function serviceChecks(context: Context, connection: Connection): Promise<Check[]> {
  const sent_at = Date.now()
  const response = await reached(context, connection)
  if (!(response instanceof Response)) return [response]
  const arrived_at = Date.now()
  const state = await stateChecks(response)
  // a server that is not Demarc must not receive the key, and its clock is irrelevant
  if (state.length === 1) return state
  const checks = [...state, skewCheck(response, sent_at, arrived_at)]
  return connection.credentials ? [...checks, await keyCheck(context, connection)] : checks
}

async function reached({ signal }: Context, connection: Connection): Promise<Response | Check> {
  try {
    return await fetch(`${connection.url}/health/ready`, { signal })
  } catch (error) {
    const details = systemError(error, connection)
    if (!details) throw error
    return {
      check: 'service',
      result: 'failed',
      details: details.lines[0]?.message ?? '',
      is_final: true,
      exit: details.exit,
    }
  }
}

/** Checks the state that the service reports and its version. */
async function stateChecks(response: Response): Promise<Check[]> {
  const text = await response.text()
  const state = jsonOf(text)
  if (!isObject(state) || typeof state['version'] !== 'string')
    return [
      {
        check: 'service',
        result: 'failed',
        details: `${response.status}: ${refusedBy(state) ?? 'unexpected response; is this a Demarc server?'}`,
        is_final: refusedBy(state) === null,
      },
    ]
  const { status, version: its, mode } = state
  return [
    {
      check: 'service',
      result: status === 'ready' ? 'ok' : 'failed',
      details: `${textOf(status)}, ${textOf(mode)} mode`,
    },
    {
      check: 'version',
      result: its === version ? 'ok' : 'warning',
      details: its === version ? version : `the service is version ${its}, this program is ${version}`,
    },
    ...databaseCheck(state),
  ]
}

/** What the service reports about its database although it is ready, such as statements to run. */
function databaseCheck({ parts }: Record<string, unknown>): Check[] {
  const database = isObject(parts) ? parts['database'] : undefined
  if (!isObject(database) || typeof database['detail'] !== 'string') return []
  return [{ check: 'database', result: 'warning', details: database['detail'] }]
}

/** The error that the service reported; null if the response is not from Demarc. */
function refusedBy(state: unknown): string | null {
  const [error]: unknown[] = isObject(state) && Array.isArray(state['errors']) ? state['errors'] : []
  return isObject(error) ? textOf(error['detail']) : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const skew_max_s = 30

/** The Date header has a resolution of one second and is set between sending and arrival. */
function skewCheck(response: Response, sent_at: number, arrived_at: number): Check {
  const its = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(its)) return { check: 'clock', result: 'warning', details: 'the service does not report its time' }
  const skew_s = its + 1000 < sent_at ? (its + 1000 - sent_at) / 1000 : its > arrived_at ? (its - arrived_at) / 1000 : 0
  const far = Math.abs(skew_s) > skew_max_s
  return {
    check: 'clock',
    result: far ? 'warning' : 'ok',
    details: far
      ? `this machine's clock is ${Math.round(Math.abs(skew_s))} s ${skew_s < 0 ? 'ahead' : 'behind'}: webhook signatures will not verify`
      : 'agrees with the service',
  }
}

async function keyCheck({ signal }: Context, { url, credentials }: Connection): Promise<Check> {
  const client = createDemarcClient({ base_url: url, ...(credentials ? { credentials } : {}) })
  try {
    const { kind, account_id, scopes } = (await client.whoami({}, { signal })).body.data
    const whose = kind === 'operator' ? 'operator' : `account ${account_id}`
    return { check: 'key', result: 'ok', details: `${whose}: ${scopes.join(', ')}` }
  } catch (error) {
    if (!(error instanceof Error && 'status' in error && error.status === 401)) throw error
    return { check: 'key', result: 'failed', details: 'missing, unknown, expired, or revoked', exit: 'sign_in' }
  }
}
