import type { e911 } from '@demarc/client'
import { createAccount } from '../src/accounts/index.ts'
import { createCnam, decideCnam } from '../src/cnam/index.ts'
import { addNumbers, clearCnamFromNumbers } from '../src/numbers/index.ts'
import { actIn } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { createVoiceRoute } from '../src/voice-routes/index.ts'
import { createValidAddress } from './addresses.ts'
import { customerName, edgeStrategies, reseller } from './cast.ts'

/** The reseller's records: several pages of each, and some on every number. */

/** Numbers the reseller had when its account was opened; the others were ported later. */
export const first_numbers = reseller.numbers - reseller.ported

const numberAt = (i: number) => String(15_035_550_000 + i)
const aliasAt = (i: number) => `Customer ${String(i).padStart(4, '0')}`

/** Every number of the reseller, ported ones last. */
export const resellerNumbers = () =>
  Array.from({ length: reseller.numbers }, (_, i) => ({ value: numberAt(i), alias: aliasAt(i), toll_free: false }))

/** The records a number of the reseller is created with. One in 40 has no emergency address. */
export const resellerNumber = (i: number, { routes, cnams, addresses }: Records) => ({
  value: numberAt(i),
  number_type: 'longcode' as const,
  alias: aliasAt(i),
  state: 'OR',
  rate_center: 'PORTLAND',
  primary_route_id: routes[i % routes.length],
  cnam_id: i % 3 === 0 ? null : (cnams[i % cnams.length] ?? null),
  e911_id: i % 40 === 39 ? null : (addresses[i % addresses.length] ?? null),
})

/** Ids of the records that the reseller's numbers use. */
export interface Records {
  routes: readonly string[]
  cnams: readonly string[]
  addresses: readonly string[]
}

/** Creates the account with its records and first numbers. */
export async function seedReseller(
  c: WriteContext,
  edges: ReadonlyMap<string, string>,
): Promise<{ id: string; records: Records }> {
  const { id } = await createAccount(c, reseller.name)
  const own = actIn(c, id)
  const routes: string[] = []
  for (let i = 0; i < reseller.routes; i++) routes.push((await createVoiceRoute(own, routeAt(i, edges))).id)
  const cnams: string[] = []
  for (const value of reseller.cnams) {
    const cnam = await createCnam(own, value)
    await decideCnam(c, cnam.id, { is_approved: true }, clearCnamFromNumbers)
    cnams.push(cnam.id)
  }
  const addresses: string[] = []
  for (const site of resellerSites) addresses.push((await createValidAddress(own, site)).id)
  const records = { routes, cnams, addresses }
  const numbers = Array.from({ length: first_numbers }, (_, i) => resellerNumber(i, records))
  await addNumbers(c, id, numbers)
  return { id, records }
}

function routeAt(i: number, edges: ReadonlyMap<string, string>) {
  const edge = edgeStrategies[i % edgeStrategies.length]?.name ?? ''
  return {
    alias: customerName(i),
    route_type: 'host' as const,
    value: `pbx-${String(i + 1).padStart(2, '0')}.cascade-voice.example:5060`,
    edge_strategy_id: edges.get(edge) ?? null,
  }
}

const streets = 'Alder Birch Cedar Dogwood Elm Fir Hawthorn Juniper Maple Oak Pine 2nd'.split(' ')

/** Locations of the reseller's customers in Friendship, where streets have house numbers. */
export const resellerSites: readonly e911.E911Input[] = streets.map((street, i) => ({
  label: customerName(i),
  first_name: 'Front',
  last_name: 'Desk',
  street_number: '200',
  street_name: street === '2nd' ? '2nd Ave W' : `${street} St`,
  city: 'Friendship',
  state: 'WI',
  country: 'US',
  zip: '53934',
}))
