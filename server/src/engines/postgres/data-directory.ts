import { createHash, randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { canEnter, isRoot, ownerOf, serverAccount, type Account } from './account.ts'
import { makePassableFolder, outsideFolder, readIfThere } from './folders.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { livePostmaster } from './process.ts'

/** Where a database stands and who runs it. */
export interface Place {
  /** The folder that was asked for, which also names the start lock. */
  requested: string
  /** Holds `cluster`, the server's log and, if its path is short enough, the socket. */
  home: string
  /** PostgreSQL's data folder; missing until the database is created. */
  cluster: string
  /** Undefined: we ourselves. */
  account: Account | undefined
}

/** A file in the requested folder that names the folder used in its stead. */
const MARKER = 'moved-to'
/** A file in a folder used in another's stead that names the other. */
const ORIGIN = 'origin'
/** sun_path of unix(7) holds 108 bytes and the closing zero. */
const SOCKET_PATH_BYTES = 107
/** Names the socket file only: nothing listens on a network port. */
export const SOCKET_PORT = 5432

/**
 * Settles where the database of `requested` stands. That is `requested` itself, unless we are root and the server's account
 * cannot get there (a project in root's home, mode 0700): then it is a folder outside, which a marker file in `requested`
 * remembers. Deleting `requested` deletes the marker, and the next start begins anew and removes what was left outside.
 * Call under the start lock.
 */
export async function settlePlace(requested: string, log: Log): Promise<Place> {
  const home = rememberedFolder(requested) || requested
  const cluster = path.join(home, 'cluster')
  if (existsSync(cluster)) return { requested, home, cluster, account: await accountOf(home, cluster) }
  if (!isRoot()) return { requested, home, cluster, account: undefined }
  const account = serverAccount()
  if (await canEnter(account, home)) return { requested, home, cluster, account }
  const outside = await newFolderOutside(requested, account, log)
  log.warn(
    { data_dir: outside, requested, user: account.name },
    'the database stands outside the data folder, which its user may not enter',
  )
  return { requested, home: outside, cluster: path.join(outside, 'cluster'), account }
}

/** Who runs a database that is there already: its owner. */
async function accountOf(home: string, cluster: string): Promise<Account | undefined> {
  const owner = ownerOf(cluster)
  const name = owner?.name ?? 'somebody unknown'
  if (!isRoot()) {
    if (owner?.uid === process.getuid?.()) return undefined
    throw new Error(
      `The database in ${home} belongs to ${name}. Start Demarc as root or as that user, or set DEMARC_DATA to another folder.`,
    )
  }
  if (!owner || owner.uid === 0) {
    throw new Error(
      `The database in ${home} belongs to ${name}, whom PostgreSQL cannot run as. Give it to user ${serverAccount().name} (chown -R).`,
    )
  }
  if (await canEnter(owner, home)) return owner
  throw new Error(
    `The database in ${home} belongs to ${name}, who may not enter that folder. Let others pass through its parents (chmod o+x) or move it.`,
  )
}

function rememberedFolder(requested: string): string | undefined {
  const remembered = readIfThere(path.join(requested, MARKER))?.trim()
  if (!remembered || existsSync(remembered)) return remembered
  throw new Error(
    `The database of ${requested} stood in ${remembered}, which is gone or closed to this user. ` +
      `Bring it back, or delete ${requested} to begin with an empty one.`,
  )
}

async function newFolderOutside(requested: string, account: Account, log: Log): Promise<string> {
  const base = await outsideFolder(account)
  for (const name of readdirSync(base).filter((each) => each.startsWith('data-'))) {
    const left_over = path.join(base, name)
    if (!isAbandoned(left_over, requested)) continue
    rmSync(left_over, { recursive: true, force: true })
    log.warn({ data_dir: left_over }, 'removed the database of a data folder that was deleted')
  }
  const outside = path.join(base, `data-${randomUUID()}`)
  makePassableFolder(outside)
  writeFileSync(path.join(outside, ORIGIN), requested)
  writeFileSync(path.join(requested, MARKER), outside)
  return outside
}

/**
 * Whether a database outside belongs to nobody any more: it stood in for the folder that now begins anew, or for a temporary
 * one that is gone. Any other folder that is missing may be a volume that is not mounted just now.
 */
function isAbandoned(outside: string, beginning_anew: string): boolean {
  if (livePostmaster(path.join(outside, 'cluster'))) return false
  const origin = readIfThere(path.join(outside, ORIGIN))
  if (origin === undefined) return false
  const temporary = ['/tmp', os.tmpdir()].some((folder) => origin.startsWith(folder + path.sep))
  return origin === beginning_anew || (temporary && !existsSync(origin))
}

/** A folder that only the server's account (and root) can enter, so that whoever reaches the socket may be trusted. */
export async function socketFolder({ home, account }: Place): Promise<string> {
  const inside = path.join(home, 'socket')
  const outside = async () => path.join(await outsideFolder(account), `socket-${shortHash(home)}`)
  const folder = fitsSocket(inside) ? inside : await outside()
  if (!fitsSocket(folder)) throw new Error(`The path ${folder} is too long for a socket. Set TMPDIR to a shorter one.`)
  makePrivateFolder(folder, account)
  return folder
}

export function makePrivateFolder(folder: string, account: Account | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (account) chownSync(folder, account.uid, account.gid)
}

function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`)) <= SOCKET_PATH_BYTES
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
