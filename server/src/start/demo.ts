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

/** The demo cast's keys, kept in `demo.json` (0600) so that tools find them. */

const keyed = z.object({ id: z.string(), access_key: z.string(), secret_key: z.string() })
const demoFile = z.object({
  base_url: z.string(),
  account: keyed,
  other_account: keyed,
  operator: keyed.omit({ id: true }),
})

export type DemoKeys = z.infer<typeof demoFile>

/** Makes the cast if the database has none, and keys if they are lost; writes `demo.json` either way. */
export async function settleDemo(runtime: Runtime): Promise<DemoKeys> {
  const { deps, config } = runtime
  const path = join(config.data_dir, 'demo.json')
  const kept = await readKept(path, deps.log)
  const usable = kept !== null && (await keysWork(deps, [kept.account, kept.other_account, kept.operator]))
  const keys = usable
    ? kept
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

async function readKept(path: string, log: Log): Promise<DemoKeys | null> {
  try {
    return demoFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
    log.warn({ path }, 'demo.json does not hold what it should; new keys are made')
    return null
  }
}

/** Throws where a demo installation's database would be served in production: its keys stand on a screen. */
export async function assertNoDemoKeys(runtime: Runtime): Promise<void> {
  if (!(await operatorKeyNamed(runtime.deps.db, demoOperatorName))) return
  throw new StartRefused(
    'This database holds the demo cast, whose keys are not secret. Production needs a database of its own: set DATABASE_URL or DEMARC_DATA to a new one.',
  )
}
