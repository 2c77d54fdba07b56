import { countText } from '@demarc/client'
import { deleteMonth, freezeMonths, loadMonth, moveAccount } from '../cdrs/index.ts'
import type { Config } from '../config.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { prepareCallRecords } from './call-records.ts'
import { exitWithUsage, runCommand, withRuntime } from './command.ts'
import { migrateUsage, readMigrate } from './migrate-cdrs.ts'

const usage = `npm run cdrs -- schema                  checks the call-record store, and creates the tables that its servers lack
npm run cdrs -- move ACCOUNT SHARD      moves the call records of an account to another shard of a cluster
npm run cdrs -- cold ACCOUNT MONTH      moves a month of an account, YYYY-MM, to the file store
npm run cdrs -- warm ACCOUNT MONTH      brings it back; it stays until you move it to the file store again
npm run cdrs -- delete ACCOUNT MONTH    deletes it for good, from the call-record store and the file store
${migrateUsage}

Uses the settings of the service, which can run meanwhile. See docs/operate/call-records.md.`

/** Does what a start does, for example after a server was added to the cluster. */
async function applySchema(config: Config): Promise<void> {
  await withRuntime(config, 'cdrs', async (runtime, log) => {
    const { servers, down, applied } = await prepareCallRecords(runtime, log)
    const mode = config.clickhouse?.mode.name ?? 'embedded'
    console.log(`Mode ${mode}: ${countText(servers, 'server has', 'servers have')} all tables of call records.`)
    if (applied.length > 0) console.log(`Applied: ${applied.join(', ')}.`)
    if (down > 0) console.log(`${countText(down, 'server is', 'servers are')} down and not checked.`)
  })
}

async function moveCallRecords(config: Config, account_id: string, shard: number): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ database, warehouse }) => {
    const onProgress = (text: string) => console.log(text)
    const { locked_ms } = await moveAccount(database.db, warehouse, { account_id, shard }, { onProgress })
    console.log(
      `The call records of account ${account_id} are on shard ${shard}. Its ingest waited ${locked_ms} ms for the switch.`,
    )
  })
}

type Month = { account_id: string; month: string }

async function freeze(config: Config, key: Month): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ deps, warehouse }) => {
    if ((await freezeMonths(deps, warehouse, [key])).length === 0)
      throw new StartRefused(
        `Account ${key.account_id} in ${key.month} was not moved: it has no call records, is in the file store already, was loaded from it in the last minutes, has just changed, or all call records are being migrated. Call records that are missing raise an alert.`,
      )
    console.log(`The call records of account ${key.account_id} in ${key.month} are in the file store.`)
  })
}

async function warm(config: Config, key: Month): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ deps, warehouse }) => {
    await loadMonth(deps, warehouse, key, { kept_until: 'infinity', onProgress: (text) => console.log(text) })
    console.log(`The call records of account ${key.account_id} in ${key.month} are in the call-record store.`)
  })
}

async function remove(config: Config, key: Month): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ deps, warehouse }) => {
    const calls = await deleteMonth(deps, warehouse, key)
    console.log(`${calls} call records of account ${key.account_id} in ${key.month} were deleted.`)
  })
}

const monthVerbs = new Map([
  ['cold', freeze],
  ['warm', warm],
  ['delete', remove],
])

/** Null for other arguments than those in `usage`. */
function readCommand([verb = '', account_id = '', last = '', ...more]: readonly string[]) {
  if (verb === 'migrate') return readMigrate(process.argv.slice(3))
  if (verb === 'schema' && account_id === '') return applySchema
  if (more.length > 0 || !/^\d{1,18}$/.test(account_id)) return null
  if (verb === 'move' && /^\d{1,4}$/.test(last))
    return (config: Config) => moveCallRecords(config, account_id, Number(last))
  const run = monthVerbs.get(verb)
  return run && /^\d{4}-(0[1-9]|1[0-2])$/.test(last)
    ? (config: Config) => run(config, { account_id, month: last })
    : null
}

const command = readCommand(process.argv.slice(2)) ?? exitWithUsage(usage)
await runCommand({ demo: false }, command)
