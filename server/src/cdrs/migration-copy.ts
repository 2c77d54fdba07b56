import { setTimeout as sleep } from 'node:timers/promises'
import {
  LIMITS,
  transferClaims,
  transferMonth,
  type MonthSums,
  type ShardSums,
  type TransferStore,
} from '../engines/call-records/index.ts'
import { inTransaction, type Db, type Tx } from '../platform/db.ts'
import { listAccounts, monthNames } from './ledger-store.ts'
import { withAccountsLocked } from './lock-store.ts'
import * as store from './migration-store.ts'
import { compareSums } from './rules.ts'

/** Copies call records from one store to another, compares both, and switches. migrate.ts has the protocol. */

/** The migration cannot start, continue, or switch. The message has the reason and what to do. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

export interface MigrationReport {
  /** What was copied by this command. */
  months: number
  num_calls: number
  /** For how long inserts waited for the switch. */
  locked_ms: number
}

/** Two stores, and what is copied from one to the other. */
export type Between = {
  db: Db
  migration: store.Migration
  from: TransferStore
  to: TransferStore
  /** Makes sure that the store that is copied to knows the shards of accounts. */
  place: (accounts: ReadonlySet<string>) => Promise<void>
  report: MigrationReport
  onProgress: (text: string) => void
}

/** Passes without the locks. They end when a pass copied few records, or at the limit, when ingest is faster than the copy. */
const passes = { most: 20, few_records: 10_000 } as const

/** Accounts of a month that are compared with the ledger at a time. */
const accounts_at_once = 10_000

/** Copies until both stores have the same, and switches. Throws MigrationRefused if they differ, or the source has lost records. */
export async function copyAndSwitch(work: Between): Promise<MigrationReport> {
  const { migration, report, onProgress } = work
  await requireRecorded(work)
  for (let pass = 1; pass <= passes.most; pass += 1) {
    const until = await withNothingInFlight(work, (_tx, time) => time())
    if ((await copyUntil(work, until)) <= passes.few_records) break
  }
  await withNothingInFlight(work, async (tx, time) => {
    const began = performance.now()
    const until = await time()
    await copyUntil(work, until)
    // fails if the locks are lost
    await time()
    if (!(await store.switchStore(tx, migration.current, until))) throw changed()
    report.locked_ms = Math.round(performance.now() - began)
  })
  onProgress('switched')
  return report
}

/** Runs work under the locks of all accounts, when no insert of a process that lost its lock can still change the old store. */
async function withNothingInFlight<T>(
  { db, from }: Between,
  work: (tx: Tx, time: () => Promise<number>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const done = await withAccountsLocked(db, 'all', async (tx, time) => {
      const since = (await time()) - LIMITS.insert_settled_seconds * 1e6
      if (await from.mayBeInFlight(since)) return null
      return { result: await work(tx, time) }
    })
    if (done !== null) return done.result
    await sleep(LIMITS.settle_poll_ms)
  }
}

/** Copies what arrived by `until`, so that both stores have the same. Returns the number of records that had arrived. */
async function copyUntil(work: Between, until: number): Promise<number> {
  const { db, from, to, place, report, onProgress } = work
  const migration = await store.findMigration(db)
  if (migration?.to_store !== work.migration.to_store || migration.current !== work.migration.current) throw changed()
  const after = Number(migration.same_until)
  const months = await from.sums({ after, until })
  const copiedUntil = await store.copiedMonths(db)
  for (const sums of months) {
    await place(new Set([sums.account_id]))
    await transferMonth(from, to, { ...sums, after: Math.max(after, copiedUntil(sums)), until })
    await store.recordMonth(db, sums, until)
    report.months += 1
    report.num_calls += sums.num_calls
    onProgress(`account ${sums.account_id}, ${sums.month}: ${sums.num_calls} call records copied`)
  }
  await transferClaims(from, to, { after: Math.max(after, Number(migration.claims_until)), until })
  await store.recordClaims(db, until)
  await requireSame(work, months, { after, until })
  if (!(await inTransaction(db, (tx) => store.recordSame(tx, migration, until)))) throw changed()
  return months.reduce((sum, { num_calls }) => sum + num_calls, 0)
}

/** Throws unless both stores have the same months and claims. */
async function requireSame(
  { db, from, to }: Between,
  months: readonly ShardSums[],
  range: { after: number; until: number },
): Promise<void> {
  const copyOf = byMonth(await to.sums(range))
  for (const sums of months) {
    if (same(sums, copyOf(sums))) continue
    // repeated deliveries or copies that are not merged yet
    const of = { ...sums, until: range.until }
    if (same(await from.exactSums(of), await to.exactSums(of))) continue
    await store.discardMonth(db, sums)
    throw different(`The copy of account ${sums.account_id} in ${sums.month}`)
  }
  if ((await from.claims(range)) === (await to.claims(range))) return
  await store.recordClaims(db, 0)
  throw different('The copy of the claims, which detect records that are delivered twice,')
}

const changed = (): MigrationRefused =>
  new MigrationRefused('Another command has changed the migration. Check its state (migrate status).')

const different = (copy: string): MigrationRefused =>
  new MigrationRefused(
    `${copy} differs. The call records stay where they are. Start the command again, which copies it again.`,
  )

const same = (a: ShardSums | undefined, b: ShardSums | undefined): boolean =>
  a?.num_calls === b?.num_calls &&
  a?.billed_seconds === b?.billed_seconds &&
  a?.total_cost === b?.total_cost &&
  a?.checksum === b?.checksum

/** Throws if the ledger has more than the store that is copied. */
async function requireRecorded({ db, from }: Between): Promise<void> {
  // the ledger first: what is stored in between is not missing
  const ledger: MonthSums[] = []
  for (const month of await monthNames(db)) {
    for (let after = '0'; ;) {
      const page = await listAccounts(db, { month, after, most: accounts_at_once })
      ledger.push(...page)
      const last = page.at(-1)
      if (last === undefined || page.length < accounts_at_once) break
      after = last.account_id
    }
  }
  const until = Number.MAX_SAFE_INTEGER
  const stored = byMonth(await from.sums({ after: 0, until }))
  const none = { num_calls: 0, billed_seconds: '0', total_cost: '0' }
  for (const sums of ledger) {
    if (compareSums(sums, stored(sums) ?? none) === 'complete') continue
    if (compareSums(sums, (await from.exactSums({ ...sums, until })) ?? none) === 'missing')
      throw new MigrationRefused(
        `Call records of account ${sums.account_id} in ${sums.month} are missing from the store. Deliver them again or accept the loss first.`,
      )
  }
}

type Month = { account_id: string; month: string }

function byMonth(all: readonly ShardSums[]): (of: Month) => ShardSums | undefined {
  const keyOf = ({ account_id, month }: Month) => `${account_id} ${month}`
  const found = new Map(all.map((sums) => [keyOf(sums), sums]))
  return (of) => found.get(keyOf(of))
}
