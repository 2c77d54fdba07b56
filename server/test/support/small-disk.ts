import { spawnSync } from 'node:child_process'
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
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

/** Writes into the file until the disk has only these bytes left, including space freed since the last time. */
export function fillDisk(file: string, left_bytes = 0): void {
  const handle = openSync(file, 'a')
  const isRoom = (bytes: number) => {
    const { bavail, bsize } = statfsSync(path.dirname(file))
    return bavail * bsize >= left_bytes + bytes
  }
  for (const bytes of [1024 ** 2, 4096])
    try {
      while (isRoom(bytes)) writeSync(handle, Buffer.alloc(bytes))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  closeSync(handle)
}

const mount = (parameters: string[]) => spawnSync('mount', parameters).status === 0
