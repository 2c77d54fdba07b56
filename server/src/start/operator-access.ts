import { createOperatorKey } from '../accounts/index.ts'
import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import { openRuntime, secretColumns } from '../runtime.ts'
import { countKeyUses, describeKeys } from '../platform/secret-keys.ts'
import { prepareDatabase } from './database.ts'
import { StartRefused } from '../platform/start-refused.ts'
import type { Stopper } from './stop.ts'
import { inviteOperator } from '../people/index.ts'
import { Problem } from '../platform/problem.ts'

/**
 * `npm run serve -- --operator-key NAME` creates an operator key, prints it once as JSON, and exits. A new installation gets
 * its first key this way.
 */
export async function addOperatorKey(config: Config, name: string, log: Log, stopper: Stopper): Promise<void> {
  const c = await openContext(config, 'operator-key', log, stopper)
  const { key, secret_key } = await inTransaction(c.db, (tx) => createOperatorKey({ ...c, tx }, name))
  console.log(JSON.stringify({ access_key: key.access_key, secret_key }))
  stopper.stop('created the key', 0)
}

/**
 * `npm run serve -- --operator-user EMAIL` invites an operator user, prints the link unless it is mailed, and exits. A new
 * installation gets its first user this way.
 */
export async function addOperatorUser(config: Config, email: string, log: Log, stopper: Stopper): Promise<void> {
  const c = await openContext(config, 'operator-user', log, stopper)
  // this process does not listen, so it uses the configured port
  c.public_url = config.public_url ?? `http://${config.host}:${config.port}`
  const url = await inTransaction(c.db, (tx) => inviteOperator({ ...c, tx }, config, email)).catch((error: unknown) => {
    throw error instanceof Problem ? new StartRefused(reasonOf(error), { cause: error }) : error
  })
  console.log(url ?? `The service mails the invitation to ${email} while it runs.`)
  stopper.stop('created the invitation', 0)
}

/** `npm run serve -- --secret-keys` counts what needs each pepper and seal key, prints it, and exits. */
export async function printSecretKeys(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const { db, vault } = await openContext(config, 'secret-keys', log, stopper)
  console.log(describeKeys(await countKeyUses(db, secretColumns), vault).join('\n'))
  stopper.stop('counted the values', 0)
}

/** Opens the installation for one change made by the program itself. */
async function openContext(config: Config, name: string, log: Log, stopper: Stopper) {
  const opened = await openInstallation(config, log)
  stopper.onStop(() => opened.close())
  await prepareDatabase(config, opened.installation, log)
  const runtime = await openRuntime(config, opened.installation, name, log)
  stopper.onStop(() => runtime.close())
  return { ...runtime.deps, actor: systemActor(name, null) }
}

const reasonOf = ({ detail }: Problem) => (typeof detail === 'string' ? detail : Object.values(detail).flat().join(' '))
