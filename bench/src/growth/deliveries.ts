import { openDatabase } from '../../../server/src/platform/db.ts'
import { claimJobs } from '../../../server/src/platform/job-claims.ts'
import { countJobs, jobBacklog, type JobKind } from '../../../server/src/platform/jobs.ts'
import { silentLog } from '../../../server/src/platform/postgres/log.ts'
import type { Side } from '../report.ts'
import type { Form } from '../results.ts'
import { newAccount, startService, type Service } from '../service.ts'
import { insertRows, reportBytes, withDatabase } from './database.ts'
import { grow, requests, fastest_ms } from './grow.ts'

const sizes = { short: [1000, 10_000, 100_000], long: [1000, 30_000, 1_000_000] }

/** Deliveries that are pending because a customer's receiver is down: what the queue and the lists cost. */
export async function growDeliveries(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  const database = openDatabase({ connection: service.databaseUrl(), log: silentLog })
  try {
    const { account_id, authorization } = await newAccount(service)
    await grow({
      name: 'deliveries',
      title: 'Claiming and listing deliveries of an account whose receiver is down',
      x: 'pending deliveries',
      sizes: sizes[form],
      rounds: 5,
      measures: [fastest_ms],
      fill: (size, before) => addDeliveries(service, account_id, before, size),
      sides: [
        statement('claim 8 that are due', async () => {
          await database.db
            .transaction()
            .execute(async (tx) => {
              const claimed = await claimJobs(tx, claim())
              if (claimed.length !== claim().limit) throw new Error(`${claimed.length} jobs were claimed`)
              throw new RolledBack()
            })
            .catch((error: unknown) => {
              if (!(error instanceof RolledBack)) throw error
            })
        }),
        statement('jobs in /metrics', async () => {
          await countJobs(database.db, inAnHour())
        }),
        statement('backlog in /health/ready', async () => {
          await jobBacklog(database.db, inAnHour())
        }),
        requests(service, authorization, 'list of 200', '/v2/notifications?limit=200'),
        requests(service, authorization, 'list of failed ones', '/v2/notifications?limit=200&status=failed'),
        requests(
          service,
          service.operator_authorization,
          'the same of all accounts',
          '/operator/notifications?limit=200&status=failed',
        ),
      ],
    })
    await withDatabase(service, (client) => reportBytes(client, ['event', 'notification', 'job']))
  } finally {
    await database.close()
    await service.stop()
  }
}

class RolledBack extends Error {}

/** The deliveries are due in half an hour, so that the worker does not begin; this clock is ahead of it. */
const inAnHour = () => new Date(Date.now() + 3_600_000)

const deliver: JobKind = {
  kind: 'deliver',
  concurrency: 8,
  attempts_max: 1000,
  backoff_ms: () => 0,
  run: () => Promise.resolve(),
}
const claim = () => ({ kind: deliver, worker: 'bench', now: inAnHour(), limit: 8, lease_s: 6, running: [] })

/** Like `requests`: the second fastest of ten. */
const statement = (name: string, run: () => Promise<void>): Side => ({
  name,
  async run() {
    const times: number[] = []
    for (let i = 0; i < 10; i++) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
    return [times.toSorted((a, b) => a - b)[1] ?? Number.NaN]
  },
})

async function addDeliveries(service: Service, account_id: string, from: number, to: number): Promise<void> {
  await withDatabase(service, async (client) => {
    await insertRows(
      client,
      `with e as (
         insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, hash)
         select ${account_id}, 1000000 + i, now(), 'bench', 'portorder.updated', 'portorder', i, '{}', ''
         from generate_series($1::bigint, $2::bigint - 1) i returning id
       ), n as (
         insert into notification (account_id, event_id, event_type, url, body, status, created_at, next_attempt_at)
         select ${account_id}, id, 'portorder.updated', 'https://receiver.example/', repeat('x', 500), 'pending', now(), now() + interval '30 minutes' from e
         returning id, next_attempt_at
       )
       insert into job (kind, key, due_at, waits_since) select 'deliver', id, next_attempt_at, null from n`,
      from,
      to,
    )
    await client.query('vacuum analyze event, notification, job')
  })
}
