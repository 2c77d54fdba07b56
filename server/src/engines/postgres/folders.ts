import { chmodSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { StartRefused } from '../../platform/start-refused.ts'
import { canEnter, isRoot, type Account } from './account.ts'

/** Creates a folder and its missing parents so that other users may traverse them (0711), regardless of the umask. */
export function makePassableFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true })
  if (first === undefined) return
  for (let each = folder; each.length >= first.length; each = path.dirname(each)) chmodSync(each, 0o711)
}

/**
 * Returns the first of several folders outside the project that can be created, that only this user can write to, and that the
 * account can enter: `/var/lib/demarc` for root, the cache folder for other users, then a temporary folder for either.
 */
export async function outsideFolder(account: Account | undefined): Promise<string> {
  const uid = process.getuid?.() ?? 0
  const candidates = [
    isRoot() ? '/var/lib/demarc' : path.join(os.homedir(), '.cache', 'demarc'),
    path.join(os.tmpdir(), `demarc-postgres-${uid}`),
    path.join('/tmp', `demarc-postgres-${uid}`),
  ]
  const reasons: string[] = []
  for (const folder of candidates) {
    const reason = await unusableReason(folder, account)
    if (reason === undefined) return folder
    reasons.push(`${folder}: ${reason}`)
  }
  throw new StartRefused(
    `The database server can use none of these folders (${reasons.join('; ')}). ` +
      'Set DEMARC_DATA to a folder that every user can reach, or set DATABASE_URL.',
  )
}

async function unusableReason(folder: string, account: Account | undefined): Promise<string | undefined> {
  try {
    makePassableFolder(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
  const facts = lstatSync(folder)
  // In a shared temporary folder, another user may have created it first.
  if (!facts.isDirectory() || facts.uid !== process.getuid?.()) return 'belongs to another user'
  if ((facts.mode & 0o022) !== 0) return 'other users may write to it'
  if (account && !(await canEnter(account, folder))) return `user ${account.name} may not enter it`
  return undefined
}

/** The text of a small file; undefined if the file does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
