import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { inviteOperator } from '../people/index.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction, type Log } from '../platform/db.ts'
import { Problem } from '../platform/problem.ts'
import { openRuntime } from '../runtime.ts'
import { migrateDatabase } from './migrate.ts'
import { StartRefused } from './refused.ts'
import type { Stopper } from './stop.ts'

/**
 * `npm run serve -- --operator-user EMAIL` invites an operator user, prints the link, and exits. A new installation gets its
 * first user this way.
 */
export async function addOperatorUser(config: Config, email: string, log: Log, stopper: Stopper): Promise<void> {
  const opened = await openInstallation(config, log)
  stopper.onStop(() => opened.close())
  await migrateDatabase(opened.installation.database_url, log)
  const runtime = await openRuntime(config, opened.installation, 'operator-user', log)
  stopper.onStop(() => runtime.close())
  const { deps } = runtime
  // this process does not listen, so it uses the configured port
  deps.public_url = config.public_url ?? `http://${config.host}:${config.port}`
  const url = await inTransaction(deps.db, (tx) =>
    inviteOperator({ ...deps, tx, actor: systemActor('operator-user', null) }, email),
  ).catch((error: unknown) => {
    throw error instanceof Problem ? new StartRefused(reasonOf(error), { cause: error }) : error
  })
  console.log(url)
  stopper.stop('created the invitation', 0)
}

const reasonOf = ({ detail }: Problem) => (typeof detail === 'string' ? detail : Object.values(detail).flat().join(' '))
