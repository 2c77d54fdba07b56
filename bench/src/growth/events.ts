import type { Form } from '../results.ts'
import { newAccount, startService } from '../service.ts'
import { addAccounts, insertRows, reportBytes, withDatabase } from './database.ts'
import { grow, requests, fastest_ms } from './grow.ts'

/** A thousand events a day, for ten days to ten years in the long form. */
const sizes = { short: [1000, 10_000, 100_000], long: [10_000, 365_000, 3_650_000] }

/** Reads of the audit log as it grows, among them the log of an account whose events are all old. */
export async function growEvents(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const { account_id, client } = await newAccount(service)
    for (let i = 0; i < 30; i++) await client.createCnam({ body: { data: cnam(`Quiet ${i}`) } })
    const [busy = ''] = await withDatabase(service, (database) => addAccounts(database, 100))
    const authorization = service.operator_authorization
    const side = (name: string, query: string) => requests(service, authorization, name, `/operator/audit${query}`)
    await grow({
      name: 'events',
      title: 'Reading and checking the audit log',
      x: 'events of all accounts',
      sizes: sizes[form],
      rounds: 5,
      measures: [fastest_ms],
      fill: (size, before) =>
        withDatabase(service, async (database) => {
          await insertRows(
            database,
            // one of two events is of the busiest account; the chain of hashes is not made, because no read of a list needs it
            `insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, hash)
             select case when i % 2 = 0 then ${busy} else ${busy} + i % 100 end, 1000000 + i, now(), 'key:bench', 'number.updated', 'number', 13000000000 + i % 100000, '{"changed": ["alias"]}', ''
             from generate_series($1::bigint, $2::bigint - 1) i`,
            before,
            size,
          )
          await database.query('vacuum analyze event')
        }),
      sides: (size) => [
        side('newest 200 of all', '?limit=200'),
        side('200 from the middle, by offset', `?limit=200&offset=${size / 2}`),
        side('newest 200 of the busiest account', `?limit=200&account_id=${busy}`),
        side('of a quiet account', `?limit=200&account_id=${account_id}`),
        side('of one number', '?limit=200&subject_type=number&subject_id=13000000007'),
        side('of a rare type', '?limit=200&event_type=cnam.requested'),
        side('check of the busiest chain', `/verify?account_id=${busy}`),
      ],
    })
    await withDatabase(service, (database) => reportBytes(database, ['event']))
  } finally {
    await service.stop()
  }
}

const cnam = (value: string) => ({ type: 'cnam' as const, attributes: { value } })
