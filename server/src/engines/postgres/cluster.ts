import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { StartRefused } from '../../platform/start-refused.ts'
import type { Binaries } from './binaries.ts'
import { makePrivateFolder, type DataDirectory } from './data-directory.ts'
import { commandAs } from './process.ts'

const run = promisify(execFile)

/** Creates the database atomically: initdb writes to a temporary folder, which is then renamed. */
export async function createCluster(
  { home, cluster, account }: DataDirectory,
  { initdb }: Binaries,
  options: { settings?: Record<string, string> },
): Promise<void> {
  for (const name of readdirSync(home).filter((each) => each.startsWith('cluster.new'))) {
    rmSync(path.join(home, name), { recursive: true, force: true, maxRetries: 3 })
  }
  const stage = path.join(home, `cluster.new-${randomUUID()}`)
  makePrivateFolder(stage, account)
  const { file, args, identity } = commandAs(account, 'KILL', [
    initdb,
    `--pgdata=${stage}`,
    '--username=postgres',
    '--data-checksums',
    '--auth-local=trust',
    '--auth-host=reject',
    // The same collation on every machine, with Unicode case mapping.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(options.settings?.fsync === 'off' ? ['--no-sync'] : []),
  ])
  try {
    await run(file, args, { ...identity, env: environment(), cwd: '/' })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new StartRefused(`PostgreSQL could not create the database in ${home}: ${output}`, { cause: error })
  }
  renameSync(stage, cluster)
}

export function refuseOtherVersion({ home, cluster }: DataDirectory, { major }: Binaries): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version === major) return
  throw new StartRefused(
    `PostgreSQL ${version} created the database in ${home}, but this release includes PostgreSQL ${major}. ` +
      `Dump it with the old release and restore it with this one, or set DEMARC_DATA to another folder.`,
  )
}

/** Passes only the search path to the server: PG* variables would change its settings, and other variables may be secrets. */
export function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
}
