import { mkdirSync } from 'node:fs'

/**
 * Makes the data folder unless it is there. Passable, not readable: the database's own account must be able to reach its
 * folder inside, and what is secret in here is closed by itself.
 */
export function makeDataFolder(data_dir: string): void {
  mkdirSync(data_dir, { recursive: true, mode: 0o711 })
}
