/** The checks of an installation: the page that explains each, and its time limit. docs/operate/doctor.md lists them. */

export type { ProbedBucket } from '../../platform/files/index.ts'
export type { RelayState } from '../../platform/mail/probe.ts'

export type Result = 'ok' | 'warning' | 'failed'

export interface Finding {
  result: Result
  details: string
  /** The command or setting that fixes it; null if nothing is wrong. */
  remedy: string | null
}

export const ok = (details: string): Finding => ({ result: 'ok', details, remedy: null })
export const warning = (details: string, remedy: string): Finding => ({ result: 'warning', details, remedy })
export const failed = (details: string, remedy: string): Finding => ({ result: 'failed', details, remedy })

interface CheckText {
  docs: string
  /** The remedy when the check ends with an unexpected error or gets no response in time. */
  otherwise: string
}

const database = 'Check that the server runs, and that DATABASE_URL names its host, user, and password.'

export const checks = {
  public_url: { docs: 'docs/operate/settings.md', otherwise: 'Check the proxy in front of DEMARC_PUBLIC_URL.' },
  certificate: {
    docs: 'docs/operate/install.md#the-proxy',
    otherwise: 'Check the proxy in front of DEMARC_PUBLIC_URL.',
  },
  metrics: { docs: 'docs/operate/health-and-metrics.md#metrics', otherwise: 'Check the proxy.' },
  proxy: { docs: 'docs/operate/install.md#the-proxy', otherwise: 'Check DEMARC_TRUST_PROXY.' },
  database: { docs: 'docs/operate/postgresql.md', otherwise: database },
  database_settings: { docs: 'docs/operate/postgresql.md#behind-a-pooler', otherwise: database },
  database_tls: { docs: 'docs/operate/postgresql.md#tls', otherwise: database },
  database_connections: { docs: 'docs/operate/scaling.md#2-several-processes-on-one-machine', otherwise: database },
  pooler: { docs: 'docs/operate/postgresql.md#behind-a-pooler', otherwise: database },
  replicas: { docs: 'docs/operate/postgresql.md#replicas', otherwise: 'Check DATABASE_REPLICA_URL.' },
  migrations: { docs: 'docs/operate/upgrading.md', otherwise: database },
  time_zone: { docs: 'docs/operate/settings.md', otherwise: database },
  database_clock: { docs: 'docs/operate/doctor.md#clocks', otherwise: database },
  call_records: {
    docs: 'docs/operate/call-records.md#where-call-records-are-stored',
    otherwise: 'Check that the store runs and that CLICKHOUSE_URL names its host, user, and password.',
  },
  bucket: {
    docs: 'docs/operate/files.md#what-the-bucket-needs',
    otherwise: 'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, and the network between this machine and the bucket.',
  },
  data_folder: { docs: 'docs/operate/install.md#what-you-need', otherwise: 'Check the folder that DEMARC_DATA names.' },
  secret_keys: { docs: 'docs/operate/secret-keys.md', otherwise: database },
  demo_keys: { docs: 'docs/guide/demo-mode.md', otherwise: database },
  mail: {
    docs: 'docs/operate/mail.md#test-the-relay',
    otherwise:
      'Check that SMTP_URL begins with smtps: for a TLS port such as 465, and that a firewall lets this machine connect.',
  },
  street_data: { docs: 'docs/operate/street-data.md#coverage', otherwise: database },
  jobs: { docs: 'docs/operate/health-and-metrics.md#failed-jobs', otherwise: database },
  dns: { docs: 'docs/operate/notifications.md#failures', otherwise: 'Check the name servers in /etc/resolv.conf.' },
  open_files: { docs: 'docs/operate/doctor.md#open-files', otherwise: 'Check LimitNOFILE or `ulimit -n`.' },
  log: { docs: 'docs/operate/settings.md', otherwise: 'Check DEMARC_LOG_LEVEL.' },
  alerts: { docs: 'docs/operate/data-integrity.md', otherwise: database },
} as const satisfies Record<string, CheckText>

export type CheckName = keyof typeof checks

/** They say nothing while the database cannot be used. */
export const reads_database: readonly CheckName[] = [
  'database_settings',
  'database_connections',
  'pooler',
  'replicas',
  'migrations',
  'time_zone',
  'database_clock',
  'call_records',
  'secret_keys',
  'demo_keys',
  'mail',
  'street_data',
  'jobs',
  'alerts',
]

/** The limit of a check in a process that serves requests. */
export const limit_ms = 3_000
