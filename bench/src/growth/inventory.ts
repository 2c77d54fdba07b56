import { newAccount, withService, type Service } from '../service.ts'
import { fastest_ms, grow, insertRows, requests } from './grow.ts'

/** Profiles of numbers in the inventory, from 1000 on. */
export const profiles = 3000

/** Searches the number inventory as it grows: pages of 200 with the exact total. */
export async function growInventory(long: boolean): Promise<void> {
  await withService({}, async (service) => {
    const { authorization } = await newAccount(service)
    const search = (name: string, query: string) =>
      requests(service, authorization, name, `/v2/numbers/available?limit=200&${query}`)
    await insertRows(service, {
      // far above the demo's own profiles
      sql: `insert into inventory_profile (id, number_type, rate_center, lata, state, zip, monthly_cost, setup_cost, capabilities)
         overriding system value select 1000 + i, 'longcode', 'CENTER' || i, '', (array['WA', 'OR', 'CA', 'NY'])[1 + i % 4], '', 1.25, i % 3, ''
         from generate_series($1::bigint, $2::bigint - 1) i`,
      tables: 'inventory_profile',
      from: 0,
      to: profiles,
    })
    await grow({
      name: 'inventory',
      title: 'Searching the number inventory, with pages of 200 and the total',
      x: 'numbers in the inventory',
      sizes: long ? [10_000, 200_000, 2_000_000] : [10_000, 100_000],
      measure: fastest_ms,
      fill: (to, from) => addInventory(service, from, to),
      sides: () => [
        search('no filter', ''),
        search('starts with', 'starts_with=220000'),
        search('rate center', 'rate_center=CENTER1'),
        search('state and price', 'state=OR&max_setup_cost=1'),
        search('contains one digit', 'contains=3'),
        search('contains, ends, and state', 'contains=3&ends_with=7&state=WA'),
        search('spells', 'spells=word'),
        search('9 consecutive', 'consecutive=9'),
      ],
    })
  })
}

/** Adds numbers: 700 of each block of a thousand; a tenth is not available. The service reads all of them: so many changes are not recorded. */
export async function addInventory(service: Service, from: number, to: number): Promise<void> {
  await insertRows(service, {
    sql: `with added as (
      insert into inventory_number (number, profile_id, supplier, status, status_reason, changed_at)
      select 12200000000 + i / 700 * 1000 + i % 700, 1000 + i / 5000 % ${profiles}, 'own',
        case i % 10 when 0 then 'held' else 'available' end, case i % 10 when 0 then 'bench' end, now()
      from generate_series($1::bigint, $2::bigint - 1) i returning number
    ) insert into inventory_change (number) select number from added`,
    tables: 'inventory_number',
    from,
    to,
  })
}
