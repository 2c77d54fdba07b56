import { systemActor } from '../../server/src/platform/actor.ts'
import { realClock } from '../../server/src/platform/clock.ts'
import { inTransaction, openDatabase, readRows, type Db } from '../../server/src/platform/db.ts'
import { recordEvent } from '../../server/src/platform/events.ts'
import { jobChannel } from '../../server/src/platform/job-wakeups.ts'
import { enqueue } from '../../server/src/platform/jobs.ts'
import { silentLog } from '../../server/src/platform/postgres/log.ts'
import { load } from './load.ts'
import { comparison, inTurns } from './report.ts'
import { cpuOf, newAccount, startService, type Service } from './service.ts'

const writers = 16
const rounds = 5
const duration_s = 0.7
const first = 12_065_570_000

/** A writer's change, besides the row that it changes. */
interface Variant {
  title: string
  accounts: 'own' | 'one'
  event: boolean
  notify_inside: boolean
}

/** What is done, what it costs more or less, and what an alternative would. */
const variants: readonly Variant[] = [
  { title: 'a change, its event and a job, an account each', accounts: 'own', event: true, notify_inside: false },
  { title: 'the same with NOTIFY inside the transaction', accounts: 'own', event: true, notify_inside: true },
  { title: 'the same, all of one account', accounts: 'one', event: true, notify_inside: false },
  { title: 'all of one account with NOTIFY inside the transaction', accounts: 'one', event: true, notify_inside: true },
  { title: 'the change alone', accounts: 'own', event: false, notify_inside: false },
]

/** Commits per second of sixteen writers: in the database with and without what belongs to a change, and over HTTP. */
export async function benchWrites(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  const { db, close } = openDatabase({
    connection: service.databaseUrl(),
    pool_size: writers + 1,
    application_name: 'bench',
    log: silentLog,
  })
  try {
    const accounts = await createAccounts(service)
    const sides = variants.map((variant) => ({
      name: variant.title,
      run: () => write(db, service, accounts, variant),
    }))
    comparison({
      ...(await inTurns(
        [...sides, { name: 'PATCH /v2/numbers/:id, an account each', run: () => patch(service, accounts) }],
        rounds,
      )),
      name: 'commits',
      title: `Commits of ${writers} writers with fsync, ${duration_s} s each; CPU is that of PostgreSQL, of the PATCH also that of the service`,
      measures: [
        { name: 'throughput', unit: 'commits/s', digits: 0, ratio: true },
        { name: 'CPU', unit: 'µs/commit', digits: 0, ratio: true },
        { name: 'p99', unit: 'ms', digits: 1, ratio: false },
      ],
      skipped: [],
    })
  } finally {
    await close()
    await service.stop()
  }
}

interface BenchAccount {
  id: string
  number: string
  authorization: string
}

async function createAccounts(service: Service): Promise<BenchAccount[]> {
  const accounts: BenchAccount[] = []
  for (let i = 0; i < writers; i++) {
    const { account_id, authorization } = await newAccount(service)
    const number = String(first + i)
    await service.operator.addNumbers({
      params: { account_id },
      body: { numbers: [{ value: number, number_type: 'longcode' }] },
    })
    accounts.push({ id: account_id, number, authorization })
  }
  return accounts
}

async function write(db: Db, service: Service, accounts: readonly BenchAccount[], variant: Variant): Promise<number[]> {
  const postgres = () => cpuOf(service.processes()['postgres'] ?? [])
  const times: number[] = []
  const before = postgres()
  const began = performance.now()
  const end = began + duration_s * 1000
  const one = async (account: BenchAccount, writer: number) => {
    for (let i = 0; performance.now() < end; i++) {
      const at = performance.now()
      await change(db, account, accounts[variant.accounts === 'own' ? writer : 0]?.id ?? '', `${writer}-${i}`, variant)
      times.push(performance.now() - at)
    }
  }
  await Promise.all(accounts.map(one))
  const cpu_us = postgres() - before
  const per_s = (times.length / (performance.now() - began)) * 1000
  await db.deleteFrom('job').where('kind', '=', 'bench').execute()
  const p99_ms = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
  return [per_s, cpu_us / times.length, p99_ms]
}

/** The number is the writer's own, so that only what belongs to its event can make writers wait for each other. */
const change = (db: Db, { number }: BenchAccount, chain: string, alias: string, { event, notify_inside }: Variant) =>
  inTransaction(db, async (tx) => {
    await tx.updateTable('number').set({ alias }).where('value', '=', number).execute()
    if (!event) return
    await enqueue(tx, 'bench', `${number}-${alias}`, realClock.now())
    const c = { tx, actor: systemActor('bench', chain), clock: realClock }
    const subject = { subject_type: 'number', subject_id: number }
    await recordEvent(c, chain, { type: 'number.changed', ...subject, data: { alias } })
    if (notify_inside) await readRows(tx, 'select pg_notify($1, $2)', [jobChannel, 'bench'])
  })

/** The same change by the API: authentication, validation, the change, its event, its document. */
async function patch(service: Service, accounts: readonly BenchAccount[]): Promise<number[]> {
  const cpu = () => cpuOf(Object.values(service.processes()).flat())
  const before = cpu()
  const result = await load({
    port: Number(new URL(service.base_url).port),
    connections: writers,
    duration_s,
    request(i) {
      const account = accounts[i % writers]
      const body = JSON.stringify({ alias: `Bench ${i}` })
      return `PATCH /v2/numbers/${account?.number} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${account?.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    },
  })
  if (result.errors > 0) throw new Error(`${result.errors} changes were refused`)
  return [result.requests / result.duration_s, (cpu() - before) / result.requests, result.p99_ms]
}
