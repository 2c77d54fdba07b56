import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { newFolder, removeFolder } from './service.ts'
import { atEnd } from './starters.ts'

/** Why a test that needs `smallDisk` is skipped. */
export const no_mount = 'this user may not mount a disk'

/** A folder on its own disk of this size in MiB; null if this user may not mount one. */
export async function smallDisk(t: TestContext, size_mib: number): Promise<string | null> {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  if (!mount(['-t', 'tmpfs', '-o', `size=${size_mib}m,mode=0711`, 'tmpfs', folder])) return null
  atEnd(t, () => spawnSync('umount', ['--lazy', folder]))
  return folder
}

/** Changes the size of a disk of `smallDisk`, or another option of its file system. */
export function resizeDisk(folder: string, options: string): void {
  if (!mount(['-o', `remount,${options}`, folder])) throw new Error(`${options} was refused for the disk at ${folder}`)
}

const mount = (parameters: string[]) => spawnSync('mount', parameters).status === 0
