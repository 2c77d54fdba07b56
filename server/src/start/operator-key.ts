import { createOperatorKey } from '../accounts/index.ts'
import type { Config } from '../config.ts'
import { openPlaces } from '../places.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import { openRuntime } from '../runtime.ts'
import { migrateDatabase } from './migrate.ts'

/** `npm run serve -- --operator-key NAME`: makes an operator key and prints it, once. The way into a new installation. */
export async function addOperatorKey(config: Config, name: string, log: Log): Promise<void> {
  const opened = await openPlaces(config, log)
  try {
    await migrateDatabase(opened.places.database_url, log)
    const runtime = await openRuntime(config, opened.places, 'operator-key', log)
    const { deps } = runtime
    const key = await inTransaction(deps.db, (tx) =>
      createOperatorKey({ ...deps, tx, actor: systemActor('operator-key', null) }, name),
    )
    await runtime.close()
    console.log(JSON.stringify(key))
  } finally {
    await opened.close()
  }
}
