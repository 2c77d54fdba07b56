import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { readConfig, type Config } from '../config.ts'
import { openInstallation, type Installation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { prepareDatabase } from './database.ts'
import { printStartError } from './refused.ts'

/** Commands that use an installation without serving it; the service can run meanwhile. */

/** Runs a command with the settings of the service. Prints why it failed, and exits with 1. */
export async function runCommand(options: { demo: boolean }, command: (config: Config) => Promise<void>) {
  let data_dir = ''
  try {
    const config = readConfig(process.env, options)
    data_dir = config.data_dir
    await command(config)
  } catch (error) {
    printStartError(error, data_dir)
    process.exit(1)
  }
}

/** Runs a command that needs no settings. Prints why it failed, and exits with 1. */
export async function runWithoutSettings(command: () => Promise<void>) {
  try {
    await command()
  } catch (error) {
    printStartError(error, '')
    process.exit(1)
  }
}

/** The arguments of a command; null if there is an unknown option, or one without its value. */
export function parseArguments<O extends ParseArgsOptionsConfig>(
  options: O,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Prints how a command is used, and exits with 2. */
export function exitWithUsage(usage: string): never {
  console.error(usage)
  process.exit(2)
}

/** Opens the installation and migrates its database, for as long as the work takes. `name` is in the log. */
export async function withInstallation(
  config: Config,
  name: string,
  work: (installation: Installation, log: Log) => Promise<void>,
): Promise<void> {
  const log = createLog(config.log_level, name)
  const opened = await openInstallation(config, log)
  try {
    await prepareDatabase(config, opened.installation, log)
    await work(opened.installation, log)
  } finally {
    await opened.close()
  }
}

/** The same with everything that the service uses. */
export async function withRuntime(
  config: Config,
  name: string,
  work: (runtime: Runtime, log: Log) => Promise<void>,
): Promise<void> {
  await withInstallation(config, name, async (installation, log) => {
    const runtime = await openRuntime(config, installation, name, log)
    try {
      await work(runtime, log)
    } finally {
      await runtime.close()
    }
  })
}
