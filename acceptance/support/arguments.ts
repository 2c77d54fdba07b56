import { parseArgs, type ParseArgsConfig } from 'node:util'

/**
 * Parses this program's arguments with `parseArgs`. `--help` prints `usage` and exits. An argument that `config` doesn't have
 * prints the reason and exits with status 2.
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

/** Prints the reason and the usage, and exits with status 2. */
export function refuseArguments(reason: string, usage: string): never {
  console.error(`${reason}\n\n${usage}`)
  process.exit(2)
}
