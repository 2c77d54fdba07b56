import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates the data folder unless it exists. Mode 0711: the operating-system account of the database must be able to enter its
 * subfolder, and secret files have a restrictive mode of their own.
 */
export function makeDataFolder(data_dir: string): void {
  mkdirSync(data_dir, { recursive: true, mode: 0o711 })
}

/** Where Node keeps what it compiled of the programs, so that processes that start later load in half the time. */
export const compileCacheFolder = (data_dir: string): string => join(data_dir, 'compiled')
