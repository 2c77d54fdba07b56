import { search as api } from '@demarc/client'
import { searchAccounts } from '../accounts/index.ts'
import { cnamPath, searchCnams } from '../cnam/index.ts'
import { e911Path, searchAddresses } from '../e911/index.ts'
import { prefixRange, searchNumbers } from '../numbers/index.ts'
import { searchOrders } from '../port-orders/index.ts'
import type { Context, Deps } from '../platform/context.ts'
import { bind, link, type Routes } from '../platform/http/binding.ts'
import { termsOf } from './rules.ts'

export const searchRoutes: Routes = (deps) => [
  bind(api.search, async ({ context, query, self }) => ({
    body: { data: await resultsOf(deps, context, query.q), links: { self } },
  })),
]

async function resultsOf(deps: Deps, { tx, actor }: Context, q: string) {
  const { prefix, ...rest } = termsOf(q)
  const terms = { ...rest, range: prefix === null ? null : prefixRange(prefix) }
  const most = api.searchResults_max
  // text matches are read row by row, which is affordable for one account only
  const within = actor.account_id !== null
  // neither a name nor a house number has this many digits
  const named = within && (terms.digits === null || terms.digits.length < 7)
  const numbers = await searchNumbers(tx, actor, terms, most)
  const orders = await searchOrders(tx, actor, terms, most)
  const cnams = named ? await searchCnams(tx, actor, terms.text, most) : []
  const addresses = named ? await searchAddresses(tx, actor, terms.text, most) : []
  const accounts = actor.kind === 'operator' && !within ? await searchAccounts(tx, actor, terms, most) : []
  const result = <T extends string>(
    type: T,
    { id, account_id }: { id: string; account_id: string },
    path: string,
    title: string,
    detail: string | null,
  ) => ({ type, id, attributes: { account_id, title, detail }, links: { self: link(deps, path) } })
  return [
    ...numbers.map((row) =>
      result('number', { ...row, id: row.value }, `/v2/numbers/${row.value}`, `+${row.value}`, row.alias),
    ),
    ...orders.map((row) =>
      result('portorder', row, `/v2/portorders/${row.id}`, row.alias, `${row.status}, ${counted(row.numbers_count)}`),
    ),
    ...cnams.map((row) => result('cnam', row, cnamPath(row.id), row.value, null)),
    ...addresses.map((row) =>
      result(
        'e911',
        row,
        e911Path(row.id),
        row.label,
        `${row.street_number} ${row.street_name}, ${row.city}, ${row.state} ${row.zip}`,
      ),
    ),
    ...accounts.map((row) =>
      result('account', { id: row.id, account_id: row.id }, `/operator/accounts/${row.id}`, row.name, null),
    ),
  ]
}

const counted = (count: number): string => (count === 1 ? 'one number' : `${count} numbers`)
