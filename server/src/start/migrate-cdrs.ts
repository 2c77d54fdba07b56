import { confirmMigration, describeMigration, migrateBack, migrateRecords, type StoreSettings } from '../cdrs/index.ts'
import { readStore, type Config } from '../config.ts'
import { addressOf } from '../installation.ts'
import { callRecordStore } from '../runtime.ts'
import { parseArguments, withRuntime } from './command.ts'

/** `npm run cdrs -- migrate`: moves all call records to another store. */

export const migrateUsage = `npm run cdrs -- migrate --to URL       moves all call records to the ClickHouse server at URL, or continues to;
                                      --mode, --cluster, and --ca-file as in CLICKHOUSE_MODE, _CLUSTER, and _CA_FILE
npm run cdrs -- migrate status         says which store has the call records
npm run cdrs -- migrate confirm        ends the migration; from then on it cannot go back
npm run cdrs -- migrate back           goes back to the store of the settings with everything that arrived since`

/** How often the progress is printed. */
const progress_ms = 5_000

type Command = (config: Config) => Promise<void>

async function migrate(config: Config, store: ReturnType<typeof readStore>): Promise<void> {
  const to: StoreSettings = { at: await addressOf(store), mode: store.mode }
  await withRuntime(config, 'cdrs', async ({ deps, installation }) => {
    const own = callRecordStore(config, installation)
    const report = await migrateRecords({ ...deps, own }, to, { onProgress: printProgress() })
    console.log(
      `${report.num_calls} call records were copied and compared. The new store is in use; ingest waited ${report.locked_ms} ms for the switch.`,
    )
    console.log('Next: npm run cdrs -- migrate confirm, or npm run cdrs -- migrate back.')
  })
}

async function goBack(config: Config): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ deps, installation }) => {
    const own = callRecordStore(config, installation)
    const report = await migrateBack({ ...deps, own }, { onProgress: printProgress() })
    console.log(
      report === null
        ? 'The migration was canceled. The call records are still in the old store. You can drop the database demarc of the new store.'
        : `${report.num_calls} call records were copied back and compared. The old store is in use again; ingest waited ${report.locked_ms} ms for the switch.`,
    )
  })
}

async function confirm(config: Config): Promise<void> {
  await withRuntime(config, 'cdrs', async ({ deps, installation }) => {
    const to = await confirmMigration({ db: deps.db, own: callRecordStore(config, installation) })
    console.log(
      `Confirmed: the call records are in ${to}. Set the CLICKHOUSE settings to it and restart every process; then you can delete the old store.`,
    )
  })
}

const printStatus: Command = (config) =>
  withRuntime(config, 'cdrs', async ({ deps }) => console.log(await describeMigration(deps.db)))

const verbs = new Map<string, Command>([
  ['status', printStatus],
  ['confirm', confirm],
  ['back', goBack],
])

/** The command of the arguments after `migrate`. Null for others. Throws ConfigError for a store that is not valid. */
export function readMigrate(args: readonly string[]): Command | null {
  const option = { type: 'string' } as const
  const found = parseArguments({ to: option, mode: option, cluster: option, 'ca-file': option }, args)
  if (found === null) return null
  const { values, positionals } = found
  const [verb = '', ...more] = positionals
  if (values.to === undefined)
    return Object.keys(values).length === 0 && more.length === 0 ? (verbs.get(verb) ?? null) : null
  if (positionals.length > 0) return null
  const { to, mode, cluster, 'ca-file': ca_file } = values
  const settings = {
    CLICKHOUSE_URL: to,
    CLICKHOUSE_MODE: mode,
    CLICKHOUSE_CLUSTER: cluster,
    CLICKHOUSE_CA_FILE: ca_file,
  }
  return async (config) => migrate(config, readStore(settings))
}

function printProgress(): (text: string) => void {
  let printed_at = performance.now() - progress_ms
  return (text) => {
    if (performance.now() - printed_at < progress_ms) return
    printed_at = performance.now()
    console.log(text)
  }
}
