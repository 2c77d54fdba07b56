import { sql } from 'kysely'
import { inTransaction, type Db } from './db.ts'
import type { JobKind } from './jobs.ts'

/** Decides which jobs a worker runs next. */

export interface Claimed {
  key: string
  /** Runs so far, including this one. */
  attempts: number
  /** Runs that ended in an error. */
  failures: number
  /** The `traceparent` of what enqueued it. */
  trace: string | null
}

interface Claim {
  kind: JobKind
  worker: string
  now: Date
  limit: number
  lease_s: number
  /** Keys of this worker's own runs: they continue even if their leases expire while the database is unavailable. */
  running: readonly string[]
}

/** After waiting this long, an account's jobs come before its smaller ones. */
const patience_s = 600

/** Claims due jobs of a kind under a lease in the database's time. */
export async function claimJobs(db: Db, claim: Claim): Promise<Claimed[]> {
  if (!claim.kind.turns) return (await byDueTime(claim).execute(db)).rows
  // most polls find nothing, and need no lock
  const { rows: due } = await sql`select from job where ${claimable(claim)} limit 1`.execute(db)
  if (due.length === 0) return []
  return await inTransaction(db, async (tx) => {
    // each claim sees the jobs of the one before, so that together they exceed no limit
    await sql`select pg_advisory_xact_lock(hashtextextended('claim ' || ${claim.kind.kind}, 0))`.execute(tx)
    return (await byTurns(claim).execute(tx)).rows
  })
}

const claimable = ({ kind, now, running }: Claim) => sql`
  kind = ${kind.kind} and dead_at is null and due_at <= ${now} and (locked_until is null or locked_until < now())
  and key <> all (${running}::text[])`

const lease = ({ worker, lease_s }: Claim) => sql`
  locked_by = ${worker}, locked_until = now() + make_interval(secs => ${lease_s}), attempts = attempts + 1, again = false`

const byDueTime = (claim: Claim) => sql<Claimed>`
  update job set ${lease(claim)}
  where (kind, key) in (
    select kind, key from job where ${claimable(claim)} order by due_at limit ${claim.limit} for update skip locked)
  returning key, attempts, failures, trace`

/** The account with the fewest running jobs is next; among several, the one whose last turn was longest ago. */
const byTurns = (claim: Claim) => sql<Claimed>`
  with running as (
    select coalesce(account_id, 0) as account_id, count(*) as n from job
    where kind = ${claim.kind.kind} and locked_until >= now() group by 1
  ), waiting as (
    select key, due_at, coalesce(account_id, 0) as account_id, row_number() over (
      partition by account_id
      order by case when due_at < ${new Date(claim.now.getTime() - patience_s * 1000)} then 0 else size end, due_at, key) as nth
    from job where ${claimable(claim)}
  ), queue as (
    select key, due_at as since, coalesce(n, 0) + nth as place, coalesce(turn, 0) as turn
    from waiting left join running using (account_id)
    left join job_turn t on t.kind = ${claim.kind.kind} and t.account_id = waiting.account_id
    where (coalesce(n, 0) + nth <= ${claim.kind.turns?.per_account ?? null}::int) is not false
  ), claimed as (
    update job set ${lease(claim)}
    where kind = ${claim.kind.kind} and key in (
      select job.key from job join queue using (key) where ${claimable(claim)}
      order by place, turn, since, key
      limit least(${claim.limit}, greatest(0, ${claim.kind.concurrency} - (select coalesce(sum(n), 0)::bigint from running)))
      for update of job skip locked)
    returning key, attempts, failures, trace, coalesce(account_id, 0) as account_id
  ), turns as (
    insert into job_turn (kind, account_id) select ${claim.kind.kind}, account_id from claimed group by 2 order by 2
    on conflict (kind, account_id) do update set turn = excluded.turn
  )
  select key, attempts, failures, trace from claimed`
