import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { createLog } from './platform/log.ts'
import { addOperatorKey } from './start/operator-key.ts'
import { serveApi } from './start/serve.ts'
import { runWorker, workerPlaces } from './start/work.ts'

/**
 * The service's only entry. `--demo`: the demo cast and a movable clock. `--operator-key NAME`: prints a new operator key
 * and ends. DEMARC_ROLE says what runs: `all` (API here, worker and engines as children), `api`, or `worker`.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { demo: { type: 'boolean', default: false }, 'operator-key': { type: 'string' } },
  })
  const config = readConfig(process.env, { demo: values.demo })
  const log = createLog(config.log_level, config.role === 'worker' ? 'worker' : 'api')
  const name = values['operator-key']
  if (name !== undefined) return await addOperatorKey(config, name, log)
  if (config.role === 'worker') return await runWorker(config, await workerPlaces(config, log), log)
  await serveApi(config, log)
}

try {
  await main()
} catch (error) {
  // what the person who started it can mend is said in words; the rest with its stack
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}
