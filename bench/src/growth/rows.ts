import { openDatabase } from '../../../server/src/platform/db.ts'
import { claimJobs } from '../../../server/src/platform/job-claims.ts'
import { countJobs, jobBacklog, type JobKind } from '../../../server/src/platform/jobs.ts'
import { silentLog } from '../../../server/src/platform/postgres/log.ts'
import { newAccount, withService, type Service } from '../service.ts'
import { addAccounts, fastest_ms, grow, insertRows, requests, timed } from './grow.ts'

/** Growth of tables in PostgreSQL: numbers, events, and pending deliveries. */

const own_numbers = 1000
const first = 12_065_560_000

/** Reads one account's thousand numbers while the table grows, and searches another account that has a tenth of all numbers. */
export async function growNumbers(long: boolean): Promise<void> {
  await withService({}, async (service) => {
    const { account_id, authorization } = await newAccount(service)
    const number_type = 'longcode'
    const numbers = Array.from({ length: own_numbers }, (_, i) => ({ value: String(first + i), number_type }) as const)
    await service.operator.addNumbers({ params: { account_id }, body: { numbers } })
    const others = await addAccounts(service)
    const searched = await newAccount(service)
    const side = (name: string, path: string) => requests(service, authorization, name, path)
    const search = (name: string, q: string) =>
      requests(service, searched.authorization, name, `/v2/search?q=${encodeURIComponent(q)}`)
    await grow({
      name: 'numbers',
      title: 'Reading the 1,000 numbers of one account, and searching a tenth of all numbers',
      x: 'numbers of all accounts',
      sizes: long ? [1000, 100_000, 10_000_000] : [1000, 10_000, 100_000],
      measure: fastest_ms,
      fill: (to, from) =>
        insertRows(service, {
          sql: `insert into number (account_id, value, alias, number_type, monthly_cost, created_at)
           select case i % 10 when 0 then ${searched.account_id} else (array[${others.join()}])[1 + i % ${others.length}] end,
             13000000000 + i, 'Room ' || i, 'longcode', 1.25, now() from generate_series($1::bigint, $2::bigint - 1) i`,
          tables: 'number',
          from,
          to,
        }),
      sides: () => [
        side('one', `/v2/numbers/${first + 500}`),
        side('list of 200', '/v2/numbers?limit=200'),
        side('last 200 by offset', '/v2/numbers?limit=200&offset=800'),
        side('search by digits', '/v2/numbers?contains=55600&limit=200'),
        // all numbers and aliases share a prefix: the worst case for a trigram index
        search('everything, by middle digits', '00042'),
        search('everything, by part of the alias', 'oom 42'),
      ],
    })
  })
}

/** Reads the audit log as it grows, also for an account that has only old events. */
export async function growEvents(long: boolean): Promise<void> {
  await withService({}, async (service) => {
    const { account_id, client } = await newAccount(service)
    for (let i = 0; i < 30; i++)
      await client.createCnam({ body: { data: { type: 'cnam', attributes: { value: `Quiet ${i}` } } } })
    const others = await addAccounts(service)
    const [busy] = others
    const side = (name: string, query: string) =>
      requests(service, service.operator_authorization, name, `/operator/audit${query}`)
    await grow({
      name: 'events',
      title: 'Reading and verifying the audit log',
      x: 'events of all accounts',
      // the long form ends with a thousand events a day for ten years
      sizes: long ? [10_000, 365_000, 3_650_000] : [1000, 10_000, 100_000],
      measure: fastest_ms,
      fill: (to, from) =>
        insertRows(service, {
          // half of the events belong to the busiest account; hashes are left out because no list reads them
          sql: `insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash)
           select case when i % 2 = 0 then ${busy} else (array[${others.join()}])[1 + i % ${others.length}] end, 1000000 + i, now(), 'key:bench', 'number.updated', 'number', 13000000000 + i % 100000, '{"changed": ["alias"]}', '', '', ''
           from generate_series($1::bigint, $2::bigint - 1) i`,
          tables: 'event',
          from,
          to,
        }),
      sides: (size) => [
        side('newest 200 of all', '?limit=200'),
        side('200 from the middle, by offset', `?limit=200&offset=${size / 2}`),
        side('newest 200 of the busiest account', `?limit=200&account_id=${busy}`),
        side('of a quiet account', `?limit=200&account_id=${account_id}`),
        side('of one number', '?limit=200&subject_type=number&subject_id=13000000007'),
        side('of a rare type', '?limit=200&event_type=cnam.requested'),
        side('verify the busiest chain', `/verify?account_id=${busy}`),
      ],
    })
  })
}

/** The queue and the lists while deliveries wait because a customer's endpoint is down. */
export async function growDeliveries(long: boolean): Promise<void> {
  await withService({}, async (service) => {
    const database = openDatabase({ connection: service.database_url, log: silentLog })
    const { account_id, authorization } = await newAccount(service)
    const failed = '?limit=200&status=failed'
    await grow({
      name: 'deliveries',
      title: 'Claiming and listing deliveries of an account whose endpoint is down',
      x: 'pending deliveries',
      sizes: long ? [1000, 30_000, 1_000_000] : [1000, 10_000, 100_000],
      measure: fastest_ms,
      fill: (to, from) => addDeliveries(service, account_id, from, to),
      sides: () => [
        timed(
          'claim 8 due deliveries',
          async () => {
            const tx = await database.db.startTransaction().execute()
            const { length } = await claimJobs(tx, claim())
            await tx.rollback().execute()
            if (length !== claim().limit) throw new Error(`${length} jobs were claimed`)
          },
          10,
        ),
        timed('jobs in /metrics', () => countJobs(database.db, inAnHour()), 10),
        timed('backlog in /health/ready', () => jobBacklog(database.db, inAnHour()), 10),
        requests(service, authorization, 'list of 200', '/v2/notifications?limit=200'),
        requests(service, authorization, 'list of failed deliveries', `/v2/notifications${failed}`),
        requests(
          service,
          service.operator_authorization,
          'the same for all accounts',
          `/operator/notifications${failed}`,
        ),
      ],
    })
    await database.close()
  })
}

/** Deliveries are due in half an hour, so the worker leaves them alone; this clock runs ahead. */
const inAnHour = () => new Date(Date.now() + 3_600_000)

const run = () => Promise.resolve()
const deliver: JobKind = { kind: 'deliver', concurrency: 8, attempts_max: 1000, backoff_ms: () => 0, run }
const claim = () => ({ kind: deliver, worker: 'bench', now: inAnHour(), limit: 8, lease_s: 6, running: [] })

const addDeliveries = (service: Service, account_id: string, from: number, to: number): Promise<void> =>
  insertRows(service, {
    sql: `with e as (
         insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash)
         select ${account_id}, 1000000 + i, now(), 'bench', 'portorder.updated', 'portorder', i, '{}', '', '', ''
         from generate_series($1::bigint, $2::bigint - 1) i returning id
       ), n as (
         insert into notification (account_id, event_id, event_type, url, body, status, created_at, next_attempt_at)
         select ${account_id}, id, 'portorder.updated', 'https://receiver.example/', repeat('x', 500), 'pending', now(), now() + interval '30 minutes' from e
         returning id, next_attempt_at
       )
       insert into job (kind, key, due_at, waits_since) select 'deliver', id, next_attempt_at, null from n`,
    tables: 'event, notification, job',
    from,
    to,
  })
