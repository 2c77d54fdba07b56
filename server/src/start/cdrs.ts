import { readConfig, type Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { createLog } from '../platform/log.ts'
import { openRuntime } from '../runtime.ts'
import { prepareCallRecords } from './call-records.ts'
import { prepareDatabase } from './database.ts'
import { moveCallRecords, readMove } from './move-account.ts'
import { printStartError } from './refused.ts'

const usage = `npm run cdrs -- schema                checks the call-record store, and creates the tables that its servers lack
npm run cdrs -- move ACCOUNT SHARD    moves the call records of an account to another shard of a cluster

Uses the settings of the service, which can run meanwhile. See docs/operate/call-records.md.`

/** `npm run cdrs -- schema` does what a start does, for example after a server was added to the cluster. */
async function applySchema(config: Config): Promise<void> {
  const log = createLog(config.log_level, 'cdrs')
  const opened = await openInstallation(config, log)
  try {
    await prepareDatabase(config, opened.installation, log)
    const runtime = await openRuntime(config, opened.installation, 'cdrs', log)
    try {
      const { servers, down, applied } = await prepareCallRecords(runtime, log)
      const mode = config.clickhouse?.mode.name ?? 'embedded'
      console.log(
        `Mode ${mode}: ${servers} ${servers === 1 ? 'server has' : 'servers have'} all tables of call records.`,
      )
      if (applied.length > 0) console.log(`Applied: ${applied.join(', ')}.`)
      if (down > 0) console.log(`${down} ${down === 1 ? 'server is' : 'servers are'} down and not checked.`)
    } finally {
      await runtime.close()
    }
  } finally {
    await opened.close()
  }
}

const [verb, ...args] = process.argv.slice(2)
const to = verb === 'move' ? readMove(args) : null
if (to === null && !(verb === 'schema' && args.length === 0)) {
  console.error(usage)
  process.exit(2)
}
let data_dir = ''
try {
  const config = readConfig(process.env, { demo: false })
  data_dir = config.data_dir
  await (to === null ? applySchema(config) : moveCallRecords(config, to))
} catch (error) {
  printStartError(error, data_dir)
  process.exit(1)
}
