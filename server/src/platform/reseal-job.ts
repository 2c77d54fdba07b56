import type { Deps } from './context.ts'
import { inTransaction } from './db.ts'
import { enqueue, exponentialBackoff, type JobKind } from './jobs.ts'
import { resealColumn, type SecretColumns } from './secret-columns.ts'
import { currentKey } from './secrets.ts'
import { countKeyUses, currentOf, recordedKeys } from './secret-keys.ts'

const hour_ms = 3_600_000
const resealJob = 'reseal-secrets'
const resealKey = 'all'

/** Makes resealing due now, because the keys may have changed. Every worker calls this at its start. */
export async function scheduleResealing(deps: Deps): Promise<void> {
  await inTransaction(deps.db, (tx) => enqueue(tx, resealJob, resealKey, deps.clock.now()))
}

/**
 * Seals every value again that has an older seal key, and counts what still needs each key. While there is more than one key of
 * a kind, it runs every hour: other processes may still seal with the older one.
 */
export const resealJobs =
  (columns: SecretColumns) =>
  (deps: Deps): JobKind[] => [
    {
      kind: resealJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(60_000, hour_ms),
      async run({ signal }) {
        const is_finished = await resealSecrets(deps, columns, signal)
        return is_finished ? undefined : { again_at: new Date(deps.clock.now().getTime() + hour_ms) }
      },
    },
  ]

/** Returns whether only current keys are left. Safe to stop at any time. */
export async function resealSecrets(
  deps: Pick<Deps, 'db' | 'vault' | 'log'>,
  columns: SecretColumns,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, vault, log } = deps
  const recorded = await recordedKeys(db)
  // a process with older settings must not undo the work of one with newer ones
  const is_current = currentKey(vault, 'seal')?.id === currentOf(recorded, 'seal')?.id
  if (is_current) for (const column of columns.sealed) await resealColumn(deps, column, signal)
  const counted = await countKeyUses(db, columns)
  for (const { kind, id, uses, current_since } of counted)
    if (current_since !== null && currentOf(counted, kind)?.id !== id && Object.keys(uses ?? {}).length === 0)
      log.info({ kind, key: id }, 'no value needs this key anymore: remove it from the settings')
  return counted.length <= 2
}
