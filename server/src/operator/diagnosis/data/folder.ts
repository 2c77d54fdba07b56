import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../run.ts'

/** Writes and removes a small file. Why that fails, as the system's error code; null if it doesn't. */
export async function tryWriting(folder: string): Promise<string | null> {
  const file = join(folder, `probe-${randomUUID()}`)
  try {
    await writeFile(file, 'probe', { flag: 'wx', mode: 0o600 })
    return null
  } catch (error) {
    return codeOf(error)
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}
