import { countText } from '@demarc/client'
import { backlog_s, room_bytes_min } from '../../health.ts'
import { failed, ok, warning, type Finding, type ProbedBucket } from '../checks.ts'

/** What the checks of databases, files, and their contents conclude. */

/** Begins the sentence of a message that says what to do. */
const imperative =
  /^(Add|As Demarc's role|Change|Check|Correct|Create|Free|Give|Grant|Move|Remount|Restore|Run|Set|Start|Upgrade)\b/
const clause = /: (?=(?:add|set|upgrade) )/

/** The finding for an error that refuses a start: its message says what is wrong, then what to do. `otherwise`: a remedy for one that doesn't. */
export function refusal(message: string, otherwise: string): Finding {
  const sentences = message.replace(/ See docs\/\S+\.md\.$/, '').split(/(?<=\.) (?=[A-Z])/)
  const at = sentences.findIndex((each) => imperative.test(each))
  if (at > 0) return failed(sentences.slice(0, at).join(' '), sentences.slice(at).join(' '))
  const [details = '', remedy] = sentences.join(' ').split(clause)
  if (remedy === undefined) return failed(details, otherwise)
  return failed(`${details}.`, remedy.charAt(0).toUpperCase() + remedy.slice(1))
}

export interface DatabaseTls {
  setting: string
  hosts: readonly string[]
  sslmode: string
}

const isRemote = (host: string): boolean => !/^(\/|localhost$|::1$|127\.)/.test(host)

export function databaseTls(urls: readonly DatabaseTls[]): Finding[] {
  const remote = urls.filter(({ hosts }) => hosts.some(isRemote))
  const weak = remote.filter(({ sslmode }) => sslmode !== 'verify-full')
  if (weak.length === 0)
    return [ok(remote.length === 0 ? 'PostgreSQL is on this machine.' : 'Connections verify the server.')]
  return weak.map(({ setting, sslmode }) =>
    warning(
      `${setting} has sslmode=${sslmode}: ${['require', 'verify-ca'].includes(sslmode) ? 'another server could pose as PostgreSQL.' : 'passwords and data may be readable on the network.'}`,
      `Append ?sslmode=verify-full&sslrootcert=/path/to/ca.pem to ${setting}, and restart.`,
    ),
  )
}

export interface Sessions {
  max: number
  /** For superusers. */
  reserved: number
  /** Limit of Demarc's role; -1 for none. */
  role_limit: number
  /** Processes of Demarc that are connected, and connections of others. */
  processes: number
  others: number
}

/** A process also opens six for E911 validation, one for notifications, and one while it starts. */
const other_connections = 8
/** Behind a pooler, only the last two go to the server. */
const direct_connections = 2

export function connections(found: Sessions, { pool_size, is_pooled }: { pool_size: number; is_pooled: boolean }): Finding {
  const { max, reserved, role_limit, processes, others } = found
  const available = Math.min(max - reserved - others, role_limit < 0 ? Infinity : role_limit)
  const each = is_pooled ? direct_connections : pool_size + other_connections
  const needed = Math.max(1, processes) * each
  const text = `Up to ${needed} connections are needed (${each} for each process), and ${available} are available`
  if (needed <= available) return ok(`${text}.`)
  const remedy =
    role_limit >= 0 && role_limit < max - reserved - others
      ? `Run ALTER ROLE … CONNECTION LIMIT ${needed}.`
      : `Run ALTER SYSTEM SET max_connections = ${needed + reserved + others + each}, and restart PostgreSQL.`
  return failed(`${text}: requests fail under load.`, `${remedy} Or lower DEMARC_DATABASE_CONNECTIONS.`)
}

interface ReplicaLag {
  name: string
  /** Infinite if it does not respond, is not a standby, or its lag is unknown because it has replayed nothing since its start. */
  lag_s: number
}

/** A replica that is further behind is not used. */
const lag_max_s = 5

export function replicas(lags: readonly ReplicaLag[]): Finding[] {
  if (lags.length === 0) return [ok('No replicas are configured.')]
  return lags.map(({ name, lag_s }) => {
    if (lag_s === Infinity)
      return failed(
        `${name} in DATABASE_REPLICA_URL does not respond, is not a standby, or has replayed nothing since its start. The primary serves its reads.`,
        'Start it and check its log, or remove its URL and restart.',
      )
    if (lag_s <= lag_max_s) return ok(`${name} is up to date.`)
    return warning(
      `${name} is ${Math.round(lag_s)} s behind, so it is not used.`,
      'Compare pg_stat_replication on the primary. On the replica, check pg_is_wal_replay_paused(), recovery_min_apply_delay, long statements, and the disk.',
    )
  })
}

export function migrations({ pending, newer }: { pending: readonly string[]; newer: readonly string[] }): Finding {
  const [shown, others] = [pending.slice(0, 3).join(', '), pending.length - 3]
  if (pending.length > 0)
    return failed(`The database lacks ${shown}${others > 0 ? `, and ${others} more` : ''}.`, 'Start this release of Demarc: it migrates the database.')
  return newer.length > 0
    ? warning(`A newer release applied ${newer.join(', ')}.`, 'Upgrade this process to the same release.')
    : ok('The database is migrated.')
}

export function databaseSettings({ unsafe, limits }: { unsafe: readonly string[]; limits: readonly string[] }): Finding {
  const remedy = (statements: readonly string[]) =>
    `As Demarc’s role, run: ${statements.join('; ')}. Then restart, and RECONNECT in the console of PgBouncer.`
  if (unsafe.length > 0)
    return failed('Sessions have settings that make Demarc store incorrect data.', remedy([...unsafe, ...limits]))
  return limits.length > 0
    ? warning('Sessions lack limits, so a statement may run and lock for too long.', remedy(limits))
    : ok('Sessions have the settings that Demarc needs.')
}

export const database = ({ read_only, is_listening }: { read_only: boolean; is_listening: boolean }): Finding =>
  read_only
    ? failed(
        'The database is read-only: a standby, or set to default_transaction_read_only.',
        'Point DATABASE_URL to the primary, or list all servers in it and add ?target_session_attrs=read-write.',
      )
    : is_listening
      ? ok('The database responds and sends notifications.')
      : warning(
          'Notifications from the database do not arrive, so caches are off and jobs start late.',
          'Set DATABASE_DIRECT_URL to the PostgreSQL server itself, past any pooler.',
        )

const permissions = {
  put: 's3:PutObject',
  get: 's3:GetObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
} as const satisfies Record<NonNullable<ProbedBucket['failed']>['step'], string>

export function bucket(probe: Pick<ProbedBucket, 'failed' | 'aborts_uploads'>): Finding {
  if (probe.failed !== null) {
    const { step, code } = probe.failed
    return failed(
      `The bucket refused to ${step} a file (${code}).`,
      `Grant ${permissions[step]} to the key in AWS_ACCESS_KEY_ID, and check the key and this machine’s clock.`,
    )
  }
  return probe.aborts_uploads === false
    ? warning(
        'The bucket keeps incomplete multipart uploads of killed processes forever.',
        'Add a lifecycle rule with AbortIncompleteMultipartUpload after one day.',
      )
    : ok('The bucket accepts, returns, lists, and deletes files.')
}

const mib = 1024 ** 2
const gib = 1024 ** 3
const free_warning_bytes = 5 * gib
/** A file cannot be written because there is no space, no inode, or no quota left. */
const full_codes = ['ENOSPC', 'EDQUOT']

/** `code`: why a file cannot be written; null if it can. */
export function dataFolder(folder: string, { code, free_bytes }: { code: string | null; free_bytes: number }): Finding {
  const remedy = 'Free space, or extend the disk. To move files to a bucket, set S3_BUCKET.'
  if (code !== null && full_codes.includes(code))
    return failed(`The disk of ${folder} is full (${code}).`, `${remedy} If \`df\` shows free space, see \`df -i\`.`)
  if (code !== null)
    return failed(
      `This user cannot write to ${folder} (${code}).`,
      `Run chown -R on ${folder} for the user of the service, and check that its file system is mounted writable.`,
    )
  const free = free_bytes < gib ? `${Math.floor(free_bytes / mib)} MiB` : `${(free_bytes / gib).toFixed(1)} GiB`
  const text = `${free} are free on the fullest disk`
  if (free_bytes < room_bytes_min) return failed(`${text}: writes are about to fail.`, remedy)
  return free_bytes < free_warning_bytes ? warning(`${text}.`, remedy) : ok(`${text}.`)
}

export interface SecretKeys {
  /** Why this process can't use the database's values; null if it can. */
  problem: string | null
  /** Names of settings with a guessable value. */
  weak: readonly string[]
  /** Keys that no value needs: `seal k1`, with the setting that has it. */
  unused: readonly { key: string; setting: string }[]
}

export function secretKeys({ problem, weak, unused }: SecretKeys, otherwise: string): Finding[] {
  const found = [
    ...(problem === null ? [] : [refusal(problem, otherwise)]),
    ...weak.map((setting) =>
      failed(
        `${setting} is not random.`,
        `Generate another with \`openssl rand -base64 32\`, and replace it as docs/operate/secret-keys.md describes.`,
      ),
    ),
    ...unused.map(({ key, setting }) =>
      warning(`No stored value needs the key ${key}.`, `Remove it from ${setting}, and restart every process.`),
    ),
  ]
  return found.length > 0 ? found : [ok('The keys are those of this database.')]
}

/** Whether a secret is guessable: it repeats a few characters, or is a phrase from an example. */
export const isWeak = (secret: string): boolean =>
  new Set(secret).size < 10 || /change.?me|example|password|secret|12345678|abcdefgh/i.test(secret)

/** Sources publish street data at least once a year. */
const stale_days = 400

interface StreetData {
  /** `remotes`: validators elsewhere, which have data of all states. */
  remotes: number
  /** States that stored addresses are in, without active data. */
  missing: readonly { state: string; addresses: number }[]
  /** Active datasets with the age of their activation. */
  datasets: readonly { name: string; age_days: number }[]
}

export function streetData({ remotes, missing, datasets }: StreetData): Finding[] {
  const stale = datasets.filter(({ age_days }) => age_days > stale_days)
  const found = [
    ...(missing.length > 0 && remotes === 0
      ? [
          warning(
            `E911 addresses in states without street data are checked by postal code only: ${missing.map(({ state, addresses }) => `${addresses} in ${state}`).join(', ')}.`,
            `Load street data of ${missing.map(({ state }) => state).join(', ')}: demarc e911 import FILE.`,
          ),
        ]
      : []),
    ...stale.map(({ name, age_days }) =>
      warning(`The street data ${name} is ${age_days} days old.`, 'Load its newest vintage: demarc e911 import FILE.'),
    ),
  ]
  return found.length > 0 ? found : [ok('Street data covers the states of all stored addresses.')]
}

export function jobs({ late_s, running, dead }: { late_s: number; running: boolean; dead: number }): Finding[] {
  const late = Math.floor(late_s)
  const found = [
    ...(late < backlog_s
      ? []
      : running
        ? [warning(`Jobs are overdue by ${late} s.`, 'Start another worker: systemctl start demarc-worker@2.')]
        : [failed(`Jobs are overdue by ${late} s, and no worker runs one.`, 'Start a worker, and check its log.')]),
    ...(dead === 0
      ? []
      : [
          warning(
            `${countText(dead, 'job has', 'jobs have')} failed permanently.`,
            'List them with `demarc job list --state dead`, fix the cause, then run `demarc job retry JOB`.',
          ),
        ]),
  ]
  return found.length > 0 ? found : [ok('No job is overdue or has failed.')]
}

export const alerts = (open: number): Finding =>
  open === 0
    ? ok('No alert is open.')
    : failed(
        `${countText(open, 'alert is', 'alerts are')} open: files or call records are damaged or missing.`,
        'List them with `demarc alert list`. The page says how to restore each.',
      )

export const demoKeys = (mode: 'demo' | 'production', has_demo_data: boolean): Finding =>
  mode === 'production' && has_demo_data
    ? failed(
        'This database has demo data, and its keys are public.',
        'Set DATABASE_URL or DEMARC_DATA to a new database for production.',
      )
    : ok(mode === 'demo' ? 'Demo mode.' : 'There is no demo data.')

export const timeZone = (name: string, is_known: boolean): Finding =>
  is_known
    ? ok(`PostgreSQL knows the time zone ${name}.`)
    : failed(
        `PostgreSQL does not know the time zone ${name} in DEMARC_TIME_ZONE.`,
        'Install the package tzdata on the database server and restart it, or set DEMARC_TIME_ZONE to another name.',
      )
