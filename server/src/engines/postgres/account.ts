import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { StartRefused } from '../../platform/start-refused.ts'

const run = promisify(execFile)

/** A system user that the database server runs as. */
export interface Account {
  name: string
  uid: number
  gid: number
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * The account that runs the server when this process is root, because PostgreSQL refuses to run as root: `postgres`, otherwise
 * `nobody`. It must be in the user table, where PostgreSQL looks up its uid.
 */
export function serverAccount(): Account {
  const accounts = readAccounts()
  const found = ['postgres', 'nobody'].map((name) => accounts.find((each) => each.name === name)).find(Boolean)
  if (found) return found
  throw new StartRefused(
    'PostgreSQL refuses to run as root, and this machine has no user "postgres" or "nobody" to run it as. ' +
      'Create one (useradd --system postgres), start Demarc as a regular user, or set DATABASE_URL.',
  )
}

/** The owner of a file or folder; undefined when the user table has no entry for it. */
export function ownerOf(file: string): Account | undefined {
  const { uid } = statSync(file)
  return readAccounts().find((each) => each.uid === uid)
}

/** Whether the account may enter the folder. Tries it, because mode bits ignore ACLs and mount options. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { uid: account.uid, gid: account.gid, cwd: '/', env: {} })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return false // the shell's exit status
    throw error
  }
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}
