import { moveAccount } from '../cdrs/index.ts'
import type { Config } from '../config.ts'
import { prepareCallRecords } from './call-records.ts'
import { runCommand, withRuntime } from './command.ts'
import { migrateUsage, readMigrate } from './migrate-cdrs.ts'

const usage = `npm run cdrs -- schema                checks the call-record store, and creates the tables that its servers lack
npm run cdrs -- move ACCOUNT SHARD    moves the call records of an account to another shard of a cluster
${migrateUsage}

Uses the settings of the service, which can run meanwhile. See docs/operate/call-records.md.`

/** Does what a start does, for example after a server was added to the cluster. */
async function applySchema(config: Config): Promise<void> {
  await withRuntime(config, 'cdrs', async (runtime, log) => {
    const { servers, down, applied } = await prepareCallRecords(runtime, log)
    const mode = config.clickhouse?.mode.name ?? 'embedded'
    console.log(`Mode ${mode}: ${servers} ${servers === 1 ? 'server has' : 'servers have'} all tables of call records.`)
    if (applied.length > 0) console.log(`Applied: ${applied.join(', ')}.`)
    if (down > 0) console.log(`${down} ${down === 1 ? 'server is' : 'servers are'} down and not checked.`)
  })
}

type Move = { account_id: string; shard: number }

async function moveCallRecords(config: Config, to: Move): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ database, warehouse }) => {
    const { locked_ms } = await moveAccount(database.db, warehouse, to, { onProgress: (text) => console.log(text) })
    console.log(
      `The call records of account ${to.account_id} are on shard ${to.shard}. Its ingest waited ${locked_ms} ms for the switch.`,
    )
  })
}

/** The arguments after `move`. Null if they are not an account and a shard. */
function readMove([account_id = '', shard = '', ...more]: readonly string[]): Move | null {
  if (more.length > 0 || !/^\d{1,18}$/.test(account_id) || !/^\d{1,4}$/.test(shard)) return null
  return { account_id, shard: Number(shard) }
}

const [verb, ...args] = process.argv.slice(2)

function readCommand(): ((config: Config) => Promise<void>) | null {
  if (verb === 'migrate') return readMigrate(args)
  if (verb === 'schema') return args.length === 0 ? applySchema : null
  const to = verb === 'move' ? readMove(args) : null
  return to && ((config) => moveCallRecords(config, to))
}

const command = readCommand()
if (command === null) {
  console.error(usage)
  process.exit(2)
}
await runCommand({ demo: false }, command)
