import type { Form } from '../results.ts'
import { newAccount, startService } from '../service.ts'
import { addAccounts, insertRows, withDatabase } from './database.ts'
import { grow, requests, fastest_ms } from './grow.ts'

const sizes = { short: [1000, 10_000, 100_000], long: [1000, 100_000, 10_000_000] }
const own = 1000
const first = 12_065_560_000

/** Part of all numbers that belong to the account that is searched: a million of ten. */
const searched_part = 10

/** One account's thousand numbers, read while the table of everybody's grows, and another's, searched while they grow with it. */
export async function growNumbers(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const { account_id, authorization } = await newAccount(service)
    const number_type = 'longcode'
    await service.operator.addNumbers({
      params: { account_id },
      body: { numbers: Array.from({ length: own }, (_, i) => ({ value: String(first + i), number_type })) },
    })
    const others = await withDatabase(service, (client) => addAccounts(client, 100))
    const searched = await newAccount(service)
    const side = (name: string, path: string) => requests(service, authorization, name, path)
    const search = (name: string, q: string) =>
      requests(service, searched.authorization, name, `/v2/search?q=${encodeURIComponent(q)}`)
    await grow({
      name: 'numbers',
      title: 'Reading the 1,000 numbers of one account, and searching a tenth of all numbers',
      x: 'numbers of all accounts',
      sizes: sizes[form],
      rounds: 5,
      measures: [fastest_ms],
      fill: (size, before) =>
        withDatabase(service, async (client) => {
          await insertRows(
            client,
            `insert into number (account_id, value, alias, number_type, monthly_cost, created_at)
             select case i % ${searched_part} when 0 then ${searched.account_id} else ${others[0]} + i % ${others.length} end,
               13000000000 + i, 'Room ' || i, 'longcode', 1.25, now() from generate_series($1::bigint, $2::bigint - 1) i`,
            before,
            size,
          )
          await client.query('vacuum analyze number')
        }),
      sides: [
        side('one', `/v2/numbers/${first + 500}`),
        side('list of 200', '/v2/numbers?limit=200'),
        side('last 200 by offset', '/v2/numbers?limit=200&offset=800'),
        side('search by digits', '/v2/numbers?contains=55600&limit=200'),
        // numbers and aliases begin alike, which is the worst for an index of their fragments
        search('everything, by middle digits', '00042'),
        search('everything, by part of the alias', 'oom 42'),
      ],
    })
  } finally {
    await service.stop()
  }
}
