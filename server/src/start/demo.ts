import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { atTime } from '../../seed/at-time.ts'
import { seedIngests } from '../../seed/ingests.ts'
import { seedInventory } from '../../seed/inventory.ts'
import { seedExports } from '../../seed/exports.ts'
import { seedHistory } from '../../seed/history.ts'
import { seedCalls, seedCast, seedPeople, seedTowns } from '../../seed/index.ts'
import { createKey, createOperatorKey, demoOperatorName, keysWork, operatorKeyNamed } from '../accounts/index.ts'
import { systemActor, type Actor } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import { createPhases, type Phases } from './phases.ts'
import type { PortOrderDependencies } from '../port-orders/index.ts'
import type { Runtime } from '../runtime.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { whenAvailable } from './available.ts'
import { codeOf } from './refused.ts'

/** The keys of the demo accounts and operator, stored in `demo.json` (0600) for tools to read. */

const keyed = z.object({ id: z.string(), access_key: z.string(), secret_key: z.string() })
const demoFile = z.object({
  base_url: z.string(),
  account: keyed,
  other_account: keyed,
  operator: keyed.omit({ id: true }),
})

export type DemoKeys = z.infer<typeof demoFile>

/**
 * Seeds the demo data if the database has none, and issues keys if the stored ones do not work. Always writes `demo.json`. Each
 * step waits for the database and the call-record engine by itself, because all of them together take minutes on a slow machine.
 */
export async function prepareDemo(runtime: Runtime, phases: Phases = createPhases()): Promise<DemoKeys> {
  const { deps, config } = runtime
  const path = join(config.data_dir, 'demo.json')
  const retrying = <T>(step: () => Promise<T>) => whenAvailable(deps.log, step)
  const stored = await readStoredKeys(path, deps.log)
  const usable =
    stored !== null && (await retrying(() => keysWork(deps, [stored.account, stored.other_account, stored.operator])))
  const keys = usable ? stored : await seedAccounts(runtime, phases)
  await Promise.all([
    phases.during('demo: calls', () => seedCalls(runtime, retrying)),
    usable ? phases.during('demo: towns', () => retrying(() => seedTowns(deps, runtime.database.pool))) : null,
  ])
  await phases.during('demo: exports', () => retrying(() => seedExports(runtime, keys.account.id)))
  await retrying(() => seedIngests(deps, `operator:${keys.operator.access_key}`))
  // a database from a release before people existed
  const ids = { dentist: keys.account.id, reseller: keys.other_account.id }
  await retrying(() =>
    inTransaction(deps.db, (tx) => seedPeople({ ...deps, tx, actor: systemActor('demo', null) }, ids)),
  )
  await retrying(() => seedInventory({ ...deps, tx: deps.db, actor: systemActor('demo', null) }))
  const file = { ...keys, base_url: deps.public_url }
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return file
}

/** Creates accounts, their keys, and their history in one transaction, because the start may be killed. */
async function seedAccounts(runtime: Runtime, phases: Phases): Promise<Omit<DemoKeys, 'base_url'>> {
  const { deps } = runtime
  // the seeded addresses are validated against these towns
  await phases.during('demo: towns', () => whenAvailable(deps.log, () => seedTowns(deps, runtime.database.pool)))
  return await phases.during('demo: accounts', () =>
    whenAvailable(deps.log, () =>
      inTransaction(deps.db, (tx) => newKeys({ ...deps, tx, actor: systemActor('demo', null) }, runtime)),
    ),
  )
}

async function newKeys(c: WriteContext, dependencies: PortOrderDependencies): Promise<Omit<DemoKeys, 'base_url'>> {
  const { created, ...ids } = await seedCast(c)
  // as old as the accounts, because the history uses these keys
  const past = created ? atTime(c, created.opened_at) : c
  const operator = await createOperatorKey(past, demoOperatorName)
  const dentist = await createKey(past, ids.dentist, { name: 'demo' })
  const reseller = await createKey(past, ids.reseller, { name: 'demo' })
  await seedPeople(past, ids)
  if (created) {
    const actors = {
      dentist: accountActor(ids.dentist, dentist.key),
      reseller: accountActor(ids.reseller, reseller.key),
      operator: {
        kind: 'operator',
        account_id: null,
        key_id: operator.key.id,
        access_key: operator.key.access_key,
        scopes: operator.key.scopes,
      },
    } as const
    await seedHistory(c, { dependencies, actors, ...created })
  }
  const keyOf = ({ key, secret_key }: typeof dentist) => ({ access_key: key.access_key, secret_key })
  return {
    account: { id: ids.dentist, ...keyOf(dentist) },
    other_account: { id: ids.reseller, ...keyOf(reseller) },
    operator: { access_key: operator.key.access_key, secret_key: operator.secret_key },
  }
}

const accountActor = (
  account_id: string,
  { id, access_key, scopes }: { id: string; access_key: string; scopes: readonly string[] },
): Actor => ({ kind: 'account', account_id, key_id: id, access_key, scopes })

async function readStoredKeys(path: string, log: Log): Promise<DemoKeys | null> {
  try {
    return demoFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
    log.warn({ path }, 'demo.json is damaged; issuing new keys')
    return null
  }
}

/** Throws if production is started on the database of a demo installation, whose keys are printed on the screen. */
export async function assertNoDemoKeys(runtime: Runtime): Promise<void> {
  if (!(await operatorKeyNamed(runtime.deps.db, demoOperatorName))) return
  throw new StartRefused(
    'This database has demo data, and its keys are public. Set DATABASE_URL or DEMARC_DATA to a new database for production.',
  )
}
