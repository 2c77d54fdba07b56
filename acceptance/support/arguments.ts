import { parseArgs, type ParseArgsConfig } from 'node:util'

/**
 * The arguments of this program, as `parseArgs` reads them. `--help` prints `usage` and ends the program. So does, with status 2
 * and the reason, whatever `config` does not have.
 */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    return refuseArguments(error instanceof Error ? error.message : String(error), usage)
  }
}

/** Says what is wrong with the arguments of this program and how they are written, and ends it with status 2. */
export function refuseArguments(reason: string, usage: string): never {
  console.error(`${reason}\n\n${usage}`)
  process.exit(2)
}
