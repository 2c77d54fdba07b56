import { readConfig } from '../config.ts'
import { openInstallation } from '../installation.ts'
import { createLog } from '../platform/log.ts'
import { openRuntime } from '../runtime.ts'
import { prepareDemo } from './demo.ts'
import { migrateDatabase } from './migrate.ts'

/**
 * `npm run seed` migrates the configured database and creates any missing demo data: accounts with keys and history, and calls.
 * Existing data is unchanged. `npm start` does the same before it serves. Use this for external databases, or for a faster
 * first start.
 */
const config = readConfig(process.env, { demo: true })
if (config.mode !== 'demo') {
  console.error('DEMARC_MODE is production, which has no demo data. Unset it to seed a demo installation.')
  process.exit(1)
}
const log = createLog(config.log_level, 'seed')
const opened = await openInstallation(config, log)
try {
  await migrateDatabase(opened.installation.database_url, log)
  const runtime = await openRuntime(config, opened.installation, 'seed', log)
  try {
    await runtime.warehouse.ready()
    await runtime.warehouse.ensureSchema()
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
