import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates the data folder unless it exists. Mode 0711 lets the database's operating-system account enter its subfolder. Secret
 * files have their own restrictive mode.
 */
export function makeDataFolder(data_dir: string): void {
  mkdirSync(data_dir, { recursive: true, mode: 0o711 })
}

/** The folder of Node's compile cache, which halves the load time of later processes. */
export const compileCacheFolder = (data_dir: string): string => join(data_dir, 'compiled')
