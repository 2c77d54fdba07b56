import { journalOf, publishPlacements } from '../cdrs/index.ts'
import type { SchemaOutcome } from '../engines/call-records/index.ts'
import type { Log } from '../platform/db.ts'
import type { Runtime } from '../runtime.ts'
import { whenAvailable } from './available.ts'

/** Waits for the call-record store, checks it, and creates the tables that it lacks. Throws for what the operator can fix. */
export async function prepareCallRecords({ config, deps, warehouse }: Runtime, log: Log): Promise<SchemaOutcome> {
  // the embedded engine has one owner, and nothing to check
  if (config.clickhouse === null) {
    await whenAvailable(log, () => warehouse.ready())
    return await whenAvailable(log, () => warehouse.ensureSchema())
  }
  const outcome = await whenAvailable(log, () => warehouse.ensureSchema(journalOf(deps.db)))
  const { servers, down, applied } = outcome
  if (down > 0) log.warn({ servers, down }, 'some servers of the call-record store are down')
  if (applied.length > 0) log.info({ servers, applied }, 'created the tables of call records')
  await whenAvailable(log, () => warehouse.ready())
  // a shard that was added has none
  await whenAvailable(log, () => publishPlacements(deps.db, warehouse))
  return outcome
}
