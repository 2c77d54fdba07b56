import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { seedCalls, seedCast, seedTowns } from '../../seed/index.ts'
import { createKey, createOperatorKey, demoOperatorName, keysWork, operatorKeyNamed } from '../accounts/index.ts'
import { systemActor } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import type { Runtime } from '../runtime.ts'
import { codeOf, StartRefused } from './refused.ts'

/** The keys of the demo accounts and operator, stored in `demo.json` (0600) so that tools find them. */

const keyed = z.object({ id: z.string(), access_key: z.string(), secret_key: z.string() })
const demoFile = z.object({
  base_url: z.string(),
  account: keyed,
  other_account: keyed,
  operator: keyed.omit({ id: true }),
})

export type DemoKeys = z.infer<typeof demoFile>

/** Seeds the demo data if the database has none, and issues keys if the stored ones do not work; writes `demo.json` either way. */
export async function prepareDemo(runtime: Runtime): Promise<DemoKeys> {
  const { deps, config } = runtime
  const path = join(config.data_dir, 'demo.json')
  const stored = await readStoredKeys(path, deps.log)
  const usable = stored !== null && (await keysWork(deps, [stored.account, stored.other_account, stored.operator]))
  const keys = usable
    ? stored
    : await inTransaction(deps.db, (tx) => newKeys({ ...deps, tx, actor: systemActor('demo', null) }))
  await Promise.all([seedCalls(runtime), seedTowns(deps, runtime.database.pool)])
  const file = { ...keys, base_url: deps.public_url }
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return file
}

async function newKeys(c: WriteContext): Promise<Omit<DemoKeys, 'base_url'>> {
  const cast = await seedCast(c)
  const operator = await createOperatorKey(c, demoOperatorName)
  const keyOf = async (id: string) => {
    const { key, secret_key } = await createKey(c, id, { name: 'demo' })
    return { id, access_key: key.access_key, secret_key }
  }
  return {
    account: await keyOf(cast.dentist),
    other_account: await keyOf(cast.reseller),
    operator: { access_key: operator.key.access_key, secret_key: operator.secret_key },
  }
}

async function readStoredKeys(path: string, log: Log): Promise<DemoKeys | null> {
  try {
    return demoFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
    log.warn({ path }, 'demo.json is damaged; new keys are issued')
    return null
  }
}

/** Throws if production is started on the database of a demo installation, whose keys are printed on the screen. */
export async function assertNoDemoKeys(runtime: Runtime): Promise<void> {
  if (!(await operatorKeyNamed(runtime.deps.db, demoOperatorName))) return
  throw new StartRefused(
    'This database holds the demo cast, whose keys are not secret. Production needs a database of its own: set DATABASE_URL or DEMARC_DATA to a new one.',
  )
}
