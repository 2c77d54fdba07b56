import { readConfig, type Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { createLog } from '../platform/log.ts'
import { openRuntime } from '../runtime.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { prepareCallRecords } from './call-records.ts'
import { prepareDemo } from './demo.ts'
import { prepareDatabase } from './database.ts'
import { printStartError } from './refused.ts'

/**
 * `npm run seed` migrates the configured database and creates any missing demo data: accounts with keys and history, and calls.
 * Existing data is unchanged. `npm start` does the same before it serves. Use this for external databases, or for a faster
 * first start.
 */
async function seed(config: Config): Promise<void> {
  if (config.mode !== 'demo')
    throw new StartRefused('DEMARC_MODE is production, which has no demo data. Unset it to seed a demo installation.')
  const log = createLog(config.log_level, 'seed')
  const opened = await openInstallation(config, log)
  try {
    await prepareDatabase(config, opened.installation, log)
    const runtime = await openRuntime(config, opened.installation, 'seed', log)
    try {
      await prepareCallRecords(runtime, log)
      runtime.deps.public_url = config.public_url ?? `http://${config.host}:${config.port}`
      const { account, other_account } = await prepareDemo(runtime)
      console.log(
        `Demo data is ready: accounts ${account.id} and ${other_account.id}. Their keys are in ${config.data_dir}/demo.json.`,
      )
    } finally {
      await runtime.close()
    }
  } finally {
    await opened.close()
  }
}

let data_dir = ''
try {
  const config = readConfig(process.env, { demo: true })
  data_dir = config.data_dir
  await seed(config)
} catch (error) {
  printStartError(error, data_dir)
  process.exit(1)
}
