import { sql } from 'kysely'
import type { WithJournal } from '../engines/call-records/index.ts'
import { inTransaction, type Db } from '../platform/db.ts'
import { allowToWait } from './lock-store.ts'

/** "cdrs" in ASCII. */
const lock_key = 0x63647273

/** Longer than a process waits for all servers of a cluster, for each statement of the schema. */
const lock_timeout_ms = 600_000

/** The journal of the call-record tables. One process at a time changes them; its lock ends with its connection. */
export const journalOf =
  (db: Db): WithJournal =>
  (mode, work) =>
    inTransaction(db, async (tx) => {
      await allowToWait(tx, lock_timeout_ms)
      await sql`select pg_advisory_xact_lock(${sql.lit(lock_key)})`.execute(tx)
      const steps = await tx.selectFrom('cdr_schema_step').select(['name', 'digest']).where('mode', '=', mode).execute()
      return await work({
        applied: new Map(steps.map(({ name, digest }) => [name, digest])),
        record: async ({ name, digest, servers }) => {
          await sql`insert into cdr_schema_step (mode, name, digest, servers) values (${mode}, ${name}, ${digest}, ${servers})
            on conflict (mode, name) do update set digest = excluded.digest, servers = excluded.servers, applied_at = now()`.execute(
            tx,
          )
        },
      })
    })
