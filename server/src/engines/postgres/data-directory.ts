import { createHash, randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { canEnter, isRoot, ownerOf, serverAccount, type Account } from './account.ts'
import { makePassableFolder, outsideFolder, readIfThere } from './folders.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { StartRefused } from '../../platform/start-refused.ts'
import { livePostmaster } from './process.ts'

/** The folders of a database, and the account that runs its server. */
export interface DataDirectory {
  /** The configured folder, which is also the key of the start lock. */
  requested: string
  /** Holds `cluster`, the server's log and, if its path is short enough, the socket. */
  home: string
  /** PostgreSQL's data folder; missing until the database is created. */
  cluster: string
  /** Undefined: the account of this process. */
  account: Account | undefined
}

/** A file in the requested folder that contains the path of the folder used instead. */
const RELOCATION_FILE = 'moved-to'
/** A file in the folder used instead that contains the path of the requested folder. */
const ORIGIN_FILE = 'origin'
/** PostgreSQL refuses a data folder that its group may write to, or that others may use at all. */
const FOREIGN_MODE = 0o027
/** sun_path in unix(7) has 108 bytes, including the final NUL. */
const SOCKET_PATH_BYTES = 107
/** Appears only in the name of the socket file: the server does not listen on a network port. */
export const SOCKET_PORT = 5432

/**
 * Finds the folders of the database for `requested`. They are in `requested` itself unless this process is root and the
 * server's account cannot reach it (for instance a project in root's home, mode 0700). Then they are in a folder outside, and a
 * file in `requested` contains its path. After `requested` is deleted, the next start creates a new database and removes the
 * one outside. Call under the start lock.
 */
export async function resolveDataDirectory(requested: string, log: Log): Promise<DataDirectory> {
  const home = relocatedFolder(requested) || requested
  const cluster = path.join(home, 'cluster')
  if (existsSync(cluster)) return { requested, home, cluster, account: await accountOf(home, cluster) }
  if (!isRoot()) return { requested, home, cluster, account: undefined }
  const account = serverAccount()
  if (await canEnter(account, home)) return { requested, home, cluster, account }
  const outside = await createOutsideFolder(requested, account, log)
  log.warn(
    { data_dir: outside, requested, user: account.name },
    'the database is outside the data folder, because its user may not enter that folder',
  )
  return { requested, home: outside, cluster: path.join(outside, 'cluster'), account }
}

/** The account that runs an existing database, which is its owner. */
async function accountOf(home: string, cluster: string): Promise<Account | undefined> {
  if ((statSync(cluster).mode & FOREIGN_MODE) !== 0) {
    throw new StartRefused(
      `Other users may open the database in ${cluster}, so PostgreSQL does not start. Run chmod 0700 ${cluster}, then start again.`,
    )
  }
  const owner = ownerOf(cluster)
  const name = owner?.name ?? 'an unknown user'
  if (!isRoot()) {
    if (owner?.uid === process.getuid?.()) return undefined
    throw new StartRefused(
      `The database in ${home} belongs to ${name}. Start Demarc as root or as that user, or set DEMARC_DATA to another folder.`,
    )
  }
  if (!owner || owner.uid === 0) {
    throw new StartRefused(
      `The database in ${home} belongs to ${name}, but PostgreSQL cannot run as that user. Change its owner to ${serverAccount().name} (chown -R).`,
    )
  }
  if (await canEnter(owner, home)) return owner
  throw new StartRefused(
    `The database in ${home} belongs to ${name}, who may not enter that folder. Make its parent folders searchable (chmod o+x), or move it.`,
  )
}

function relocatedFolder(requested: string): string | undefined {
  const relocated = readIfThere(path.join(requested, RELOCATION_FILE))?.trim()
  if (!relocated || existsSync(relocated)) return relocated
  throw new StartRefused(
    `The database for ${requested} was in ${relocated}, which is missing or not accessible to this user. ` +
      `Restore it, or delete ${requested} to start with an empty database.`,
  )
}

async function createOutsideFolder(requested: string, account: Account, log: Log): Promise<string> {
  const base = await outsideFolder(account)
  for (const name of readdirSync(base).filter((each) => each.startsWith('data-'))) {
    const abandoned = path.join(base, name)
    if (!isAbandoned(abandoned, requested)) continue
    rmSync(abandoned, { recursive: true, force: true })
    log.warn({ data_dir: abandoned }, 'removed the database of a deleted data folder')
  }
  const outside = path.join(base, `data-${randomUUID()}`)
  makePassableFolder(outside)
  writeFileSync(path.join(outside, ORIGIN_FILE), requested)
  writeFileSync(path.join(requested, RELOCATION_FILE), outside)
  return outside
}

/**
 * Whether a database outside is no longer used: either its requested folder now gets a new database, or that folder was
 * temporary and is deleted. Any other missing folder may be a volume that is not mounted right now.
 */
function isAbandoned(outside: string, reinitialized: string): boolean {
  if (livePostmaster(path.join(outside, 'cluster'))) return false
  const origin = readIfThere(path.join(outside, ORIGIN_FILE))
  if (origin === undefined) return false
  const temporary = ['/tmp', os.tmpdir()].some((folder) => origin.startsWith(folder + path.sep))
  return origin === reinitialized || (temporary && !existsSync(origin))
}

/** A folder that only the server's account (and root) can enter. Access to the socket is the only authentication. */
export async function socketFolder({ home, account }: DataDirectory): Promise<string> {
  const inside = path.join(home, 'socket')
  const outside = async () => path.join(await outsideFolder(account), `socket-${shortHash(home)}`)
  const folder = fitsSocket(inside) ? inside : await outside()
  if (!fitsSocket(folder))
    throw new StartRefused(`The path ${folder} is too long for a socket. Set TMPDIR to a shorter path.`)
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
