import type { Config } from '../config.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { prepareCallRecords } from './call-records.ts'
import { runCommand, withRuntime } from './command.ts'
import { prepareDemo } from './demo.ts'

/**
 * `npm run seed` migrates the configured database and creates any missing demo data: accounts with keys and history, and calls.
 * Existing data is unchanged. `npm start` does the same before it serves. Use this for external databases, or for a faster
 * first start.
 */
async function seed(config: Config): Promise<void> {
  if (config.mode !== 'demo')
    throw new StartRefused('DEMARC_MODE is production, which has no demo data. Unset it to seed a demo installation.')
  await withRuntime(config, 'seed', async (runtime, log) => {
    await prepareCallRecords(runtime, log)
    runtime.deps.public_url = config.public_url ?? `http://${config.host}:${config.port}`
    const { account, other_account } = await prepareDemo(runtime)
    console.log(
      `Demo data is ready: accounts ${account.id} and ${other_account.id}. Their keys are in ${config.data_dir}/demo.json.`,
    )
  })
}

await runCommand({ demo: true }, seed)
