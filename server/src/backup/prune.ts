import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { unlessMissing } from '../platform/files/staging.ts'
import { listFiles } from './files.ts'
import { listBackups, readStored } from './folder.ts'
import { readManifest } from './manifest.ts'

/** A younger file may belong to a backup in progress. */
const age_ms = 86_400_000

/** Deletes all but the newest backups, and the files that none of the others has. Returns their names. */
export async function pruneBackups(dir: string, keep: number): Promise<string[]> {
  const names = await listBackups(dir)
  const deleted = names.slice(0, Math.max(0, names.length - keep))
  for (const name of deleted) await rm(join(dir, name), { recursive: true })
  const used = await usedFiles(dir)
  for (const folder of ['files', 'calls'])
    for (const entry of await unlessMissing(
      () => readdir(join(dir, folder), { recursive: true, withFileTypes: true }),
      [],
    )) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || used.has(relative(dir, path))) continue
      if (Date.now() - (await stat(path)).mtimeMs > age_ms) await rm(path)
    }
  return deleted
}

async function usedFiles(dir: string): Promise<Set<string>> {
  const used = new Set<string>()
  for (const name of await listBackups(dir)) {
    const manifest = await readManifest(join(dir, name))
    for (const { objects } of manifest.calls.months) for (const { file } of objects) used.add(file.path)
    for await (const { file } of listFiles({ read: (...of) => readStored(dir, ...of) }, manifest)) used.add(file.path)
  }
  return used
}
