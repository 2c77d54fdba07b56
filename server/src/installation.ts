import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEngine } from './engines/call-records/chdb/index.ts'
import type { StoreAddress } from './engines/call-records/index.ts'
import type { Config } from './config.ts'
import { makeDataFolder } from './data-folder.ts'
import type { Log } from './platform/db.ts'
import { claimFolder } from './platform/folder-claim.ts'
import { createPhases, type Phases } from './start/phases.ts'
import { startPostgres } from './engines/postgres/index.ts'
import { loadOrCreateLocalSecrets } from './platform/local-secrets.ts'
import { StartRefused } from './platform/start-refused.ts'

/** The addresses and secrets of the service's dependencies. Plain data, so it can be sent to a child process. */
export interface Installation {
  database_url: string
  /** Null if `database_url` does not lead to a pooler in transaction mode. */
  database_direct_url: string | null
  warehouse: StoreAddress
  files_dir: string
  /** Folders that this installation writes to. Their disks are monitored for free space. */
  folders: string[]
  secrets: { pepper: string; accepted_pepper?: string | null; seal_keys: { id: string; key: string | Uint8Array }[] }
  /** Base of absolute links. Set once the port is known. */
  public_url: string
}

export interface OpenedInstallation {
  installation: Installation
  /** Messages for the operator: folders that are not where they were configured. */
  warnings: string[]
  /** Stops the engines that were started here. */
  close(): Promise<void>
}

/** Observers of the opening. */
interface Opening {
  phases?: Phases
  /** Called once every embedded engine has been spawned, so the caller can work while they start. */
  onSpawned?: () => void
}

/**
 * Opens the database, the call-record engine, and the secrets. Starts the embedded engines, or adopts them if another process
 * of this installation already runs them.
 */
export async function openInstallation(
  config: Config,
  log: Log,
  { phases = createPhases(), onSpawned = () => undefined }: Opening = {},
): Promise<OpenedInstallation> {
  const warnings: string[] = []
  const closers: (() => Promise<void>)[] = []
  let release = (): void => undefined
  const close = async () => {
    const ended = await Promise.allSettled(closers.splice(0).map((closer) => closer()))
    release()
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
  try {
    makeDataFolder(config.data_dir)
    if (config.database_url === null || config.clickhouse === null)
      release = await claimFolder(config.data_dir, { log, onLost: () => endNow(config, log) })
    const secrets = config.secrets ?? (await loadOrCreateLocalSecrets(config.data_dir))
    // wait for both even if one fails, because the other must then be closed
    const onSpawn = spawnCount(config, onSpawned)
    const opening = [
      phases.during('database', () => database(config, log, warnings, closers, onSpawn.database)),
      phases.during('call-record engine', () => engine(config, log, closers, onSpawn.engine)),
    ] as const
    await Promise.allSettled(opening)
    const [{ database_url, folder }, warehouse] = await Promise.all(opening)
    return {
      installation: {
        database_url,
        database_direct_url: config.database_direct_url,
        warehouse,
        files_dir: join(config.data_dir, 'files'),
        folders: [config.data_dir, ...(folder === null ? [] : [folder])],
        secrets,
        public_url: config.public_url ?? '',
      },
      warnings,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends this process, and with it its engines, because a clean stop would write to files that another container uses. */
function endNow({ data_dir }: Config, log: Log): never {
  log.error({ data_dir }, 'another container took the data folder over, because this one did not run for a while')
  process.exit(1)
}

/** Calls `onSpawned` once every embedded engine has been spawned. */
function spawnCount({ database_url, clickhouse }: Config, onSpawned: () => void) {
  const awaited = new Set([...(database_url === null ? ['database'] : []), ...(clickhouse === null ? ['engine'] : [])])
  const spawned = (name: string) => () => {
    if (awaited.delete(name) && awaited.size === 0) onSpawned()
  }
  return { database: spawned('database'), engine: spawned('engine') }
}

async function database(
  config: Config,
  log: Log,
  warnings: string[],
  closers: (() => Promise<void>)[],
  onSpawn: () => void,
): Promise<{ database_url: string; folder: string | null }> {
  if (config.database_url !== null) return { database_url: config.database_url, folder: null }
  const configured = join(config.data_dir, 'postgres')
  const postgres = await startPostgres({ data_dir: configured, log, onSpawn })
  closers.push(() => postgres.stop())
  if (postgres.data_dir !== configured)
    warnings.push(`The database is in ${postgres.data_dir}, because its system user cannot enter ${configured}.`)
  return { database_url: postgres.url, folder: postgres.data_dir }
}

async function engine(
  config: Config,
  log: Log,
  closers: (() => Promise<void>)[],
  onSpawn: () => void,
): Promise<Installation['warehouse']> {
  if (config.clickhouse !== null) return await addressOf(config.clickhouse)
  const started = await startEngine({
    folder: join(config.data_dir, 'cdrs'),
    onSpawn,
    on: (event) => log[event.type === 'lost' || event.type === 'failed' ? 'warn' : 'info'](event, 'call-record engine'),
  })
  closers.push(() => started.stop())
  return { socket: started.socket }
}

/** The addresses of ClickHouse servers, with their certificate authority. Throws StartRefused if its file cannot be read. */
export async function addressOf({
  urls: [url = '', ...others],
  ca_file,
}: NonNullable<Config['clickhouse']>): Promise<StoreAddress> {
  if (ca_file === null) return { url, others }
  try {
    return { url, others, ca: await readFile(ca_file, 'utf8') }
  } catch (error) {
    throw new StartRefused(`CLICKHOUSE_CA_FILE cannot be read: ${String(error)}`, { cause: error })
  }
}
