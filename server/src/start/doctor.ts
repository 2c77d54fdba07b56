import { probesOf } from '../diagnosis.ts'
import type { Config } from '../config.ts'
import { lockInserts, openCurrentStore } from '../cdrs/index.ts'
import { openInstallation, type Installation } from '../installation.ts'
import { diagnose, type CheckedFinding } from '../operator/diagnosis/run.ts'
import { realClock } from '../platform/clock.ts'
import { openDatabase, type Log } from '../platform/db.ts'
import { createMetrics } from '../platform/metrics.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { replicaLimits } from '../platform/replicas.ts'
import { callRecordStore, openReplicas, poolOptions, sessionPrefix, signersOf } from '../runtime.ts'
import type { Stopper } from './stop.ts'

/** Longer than in a service, because this process has just started, maybe on a machine that is too busy. */
const limits = { check_ms: 10_000, connection_ms: 8_000 }

/**
 * `npm run serve -- --doctor` checks the installation without serving it, prints what is wrong with its remedy, and exits with 1 if a
 * check failed. It changes nothing, and does not migrate the database.
 */
export async function printDiagnosis(config: Config, log: Log, stopper: Stopper): Promise<void> {
  // the results are for a person; the errors behind them are in the log
  const detailed = config.log_level === 'debug' ? log : silentLog
  const opened = await openInstallation(config, detailed)
  stopper.onStop(() => opened.close())
  const diagnosed = openUnchecked(config, opened.installation, detailed)
  stopper.onStop(() => diagnosed.close())
  const forwarding = { requests: 0, forwarded: 0, peer: null }
  const found = await diagnose(probesOf({ ...diagnosed, forwarding }), detailed, limits.check_ms)
  console.log(found.map(textOf).join('\n'))
  const has_failed = found.some(({ result }) => result === 'failed')
  stopper.stop('checked the installation', has_failed ? 1 : 0)
}

/**
 * Opens what the checks of an installation read. Unlike `openRuntime`, it sends nothing, so it succeeds while a dependency is missing
 * or wrong.
 */
function openUnchecked(config: Config, installation: Installation, log: Log) {
  const common = poolOptions(config, installation, { connect_timeout_ms: limits.connection_ms }, log)
  const database = openDatabase({ application_name: `${sessionPrefix}doctor`, ...common })
  const { db } = database
  const replicas = openReplicas(config, 'doctor', database, createMetrics(), log, {
    ...replicaLimits,
    response_ms: limits.connection_ms,
  })
  const signers = signersOf(installation)
  const store = { ...callRecordStore(config, installation), exclusively: lockInserts(db, realClock) }
  const warehouse = openCurrentStore({ reads: db, vault: signers.vault }, store)
  return {
    config,
    installation,
    replicas,
    warehouse,
    deps: { db, clock: realClock, log, ...signers },
    isListening: () => true,
    async close() {
      await warehouse.close()
      await replicas?.close()
      await database.close()
    },
  }
}

/** One line; two more with a remedy, unless that is another check. */
function textOf({ result, check, details, remedy, docs }: CheckedFinding): string {
  const line = `${result.padEnd(7)}  ${check}: ${details}`
  if (remedy === null) return line
  return /^See the check \w+\.$/.test(remedy)
    ? `${line} ${remedy}`
    : [line, `Fix: ${remedy}`, `See ${docs}`].join('\n         ')
}
