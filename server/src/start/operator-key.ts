import { createOperatorKey } from '../accounts/index.ts'
import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import { openRuntime } from '../runtime.ts'
import { migrateDatabase } from './migrate.ts'
import type { Stopper } from './stop.ts'

/**
 * `npm run serve -- --operator-key NAME` creates an operator key, prints it once as JSON, and exits. A new installation gets
 * its first key this way.
 */
export async function addOperatorKey(config: Config, name: string, log: Log, stopper: Stopper): Promise<void> {
  const opened = await openInstallation(config, log)
  stopper.onStop(() => opened.close())
  await migrateDatabase(opened.installation.database_url, log)
  const runtime = await openRuntime(config, opened.installation, 'operator-key', log)
  stopper.onStop(() => runtime.close())
  const { deps } = runtime
  const { key, secret_key } = await inTransaction(deps.db, (tx) =>
    createOperatorKey({ ...deps, tx, actor: systemActor('operator-key', null) }, name),
  )
  console.log(JSON.stringify({ access_key: key.access_key, secret_key }))
  stopper.stop('created the key', 0)
}
