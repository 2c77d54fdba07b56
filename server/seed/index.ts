import type pg from 'pg'
import { accountNamed, createAccount } from '../src/accounts/index.ts'
import { addDemoPerson } from '../src/people/index.ts'
import { createCnam, decideCnam } from '../src/cnam/index.ts'
import { followUps } from '../src/e911/index.ts'
import { DEMO_DATASET, DEMO_GUIDE, demoGuideCsv, demoTownCsv } from './town.ts'
import { importDataset, inMemory } from '../src/engines/street-data/index.ts'
import { addNumbers, assignCnam, setVoiceRoute, clearCnamFromNumbers } from '../src/numbers/index.ts'
import { actIn } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { createEdgeStrategy, createVoiceRoute } from '../src/voice-routes/index.ts'
import type { Warehouse } from '../src/engines/call-records/index.ts'
import type { Deps } from '../src/platform/context.ts'
import { makeCalls, type CallProfile } from './calls.ts'
import { people } from './people.ts'
import { dentist, edgeStrategies, history_days, newcomer, opened_days_ago, rejection_reason, reseller } from './cast.ts'
import { atTime } from './at-time.ts'
import { resellerNumbers, seedReseller, type Records } from './reseller.ts'

/** Creates the demo cast through the same actions as the API, so that it has events like any account. */

export interface Cast {
  dentist: string
  reseller: string
  /** Null if the accounts already existed. */
  created: { opened_at: Date; voice_route_id: string; cnam_id: string; reseller_records: Records } | null
}

/** Creates the accounts with their routes, names, and numbers unless they exist. Returns their ids. */
export async function seedCast(c: WriteContext): Promise<Cast> {
  const existing = await Promise.all([accountNamed(c.tx, dentist.name), accountNamed(c.tx, reseller.name)])
  if (existing[0] && existing[1]) return { dentist: existing[0].id, reseller: existing[1].id, created: null }
  // before all other actions of the accounts, so that their events are in chronological order
  const opened_at = new Date(c.clock.now().getTime() - opened_days_ago * 86_400_000)
  const past = atTime(c, opened_at)
  const edges = new Map<string, string>()
  for (const edge of edgeStrategies) edges.set(edge.name, (await createEdgeStrategy(past, edge)).id)
  const { id, ...records } = await seedDentist(past, edges)
  const large = await seedReseller(past, edges)
  const created = { opened_at, ...records, reseller_records: large.records }
  await createAccount(c, newcomer.name)
  return { dentist: id, reseller: large.id, created }
}

/** Adds the people of the cast who are missing. */
export async function seedPeople(c: WriteContext, ids: Pick<Cast, 'dentist' | 'reseller'>): Promise<void> {
  for (const { on, ...person } of people) {
    const memberships = on.map(({ account, role }) => ({
      account_id: account === 'operator' ? null : ids[account],
      role,
    }))
    await addDemoPerson(c, { ...person, memberships })
  }
}

async function seedDentist(
  c: WriteContext,
  edges: Map<string, string>,
): Promise<{ id: string; voice_route_id: string; cnam_id: string }> {
  const { id } = await createAccount(c, dentist.name)
  const own = actIn(c, id)
  await addNumbers(c, id, dentist.numbers)
  const routes: string[] = []
  for (const { edge_strategy, ...route } of dentist.routes)
    routes.push(
      (
        await createVoiceRoute(own, {
          ...route,
          edge_strategy_id: edge_strategy === null ? null : (edges.get(edge_strategy) ?? null),
        })
      ).id,
    )
  let cnam_id = ''
  for (const { value, decision } of dentist.cnams) {
    if (decision === 'pending') continue
    const cnam = await createCnam(own, value)
    if (decision === 'approved') cnam_id = cnam.id
    const input =
      decision === 'approved' ? { is_approved: true as const } : { is_approved: false as const, rejection_reason }
    await decideCnam(c, cnam.id, input, clearCnamFromNumbers)
  }
  for (const n of dentist.numbers.slice(0, 3)) await assignCnam(own, n.value, cnam_id)
  const [voice_route_id = '', second = ''] = routes
  for (const n of dentist.numbers) await setVoiceRoute(own, n.value, 'primary', voice_route_id)
  await setVoiceRoute(own, dentist.numbers[0].value, 'failover', second)
  return { id, voice_route_id, cnam_id }
}

/** Imports the streets of the fictional towns, so that every validation outcome can be tried without an import. */
export async function seedTowns(deps: Deps, pool: pg.Pool): Promise<void> {
  const load = async (dataset: typeof DEMO_DATASET | typeof DEMO_GUIDE, csv: string) => {
    // not from a temporary file, which a killed start would leave behind
    const file = inMemory(csv, `${dataset.format}.csv`)
    // importing the same name and vintage again changes nothing
    await importDataset(pool, { ...dataset, follow_ups: followUps, file, activate: true, now: deps.clock.now() })
  }
  await load(DEMO_DATASET, demoTownCsv())
  await load(DEMO_GUIDE, demoGuideCsv())
}

/**
 * Inserts the call history unless it exists. Every record has a fixed id, so an incomplete history gets completed. `retrying`
 * repeats a step while the database or the call-record engine is unavailable.
 */
export async function seedCalls(
  { deps, warehouse }: { deps: Deps; warehouse: Warehouse },
  retrying: <T>(step: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const names = [dentist.name, reseller.name, newcomer.name]
  const [small, large, newest] = await retrying(() => Promise.all(names.map((name) => accountNamed(deps.db, name))))
  if (!small || !large || !newest) throw new Error('the cast must be created before its calls')
  // the newest account was opened when the cast was created
  const end = new Date(Math.floor(newest.created_at.getTime() / 86_400_000) * 86_400_000)
  const profiles: CallProfile[] = [
    {
      account_id: small.id,
      numbers: dentist.numbers.map((n) => ({
        value: n.value,
        alias: n.alias,
        toll_free: n.number_type === 'toll-free',
      })),
      calls: dentist.calls,
      customer_ips: ['192.0.2.10', '192.0.2.11'],
      tags: ['recall', 'new-patient', 'billing'],
    },
    {
      account_id: large.id,
      numbers: resellerNumbers(),
      calls: reseller.calls,
      customer_ips: ['198.51.100.7', '198.51.100.8', '2001:db8::7'],
      tags: ['gold', 'silver', 'trial'],
    },
  ]
  const filter = { start_call_start_time: new Date(0), start_call_end_time: new Date(end.getTime() + 86_400_000) }
  const counts = await retrying(() =>
    Promise.all(profiles.map(({ account_id }) => warehouse.count({ account_id, filter }))),
  )
  if (counts.every((n, i) => n >= (profiles[i]?.calls ?? 0))) return
  const batches = makeCalls(profiles, end, history_days, 20_000)
  const insertAll = async () => {
    for (const batch of batches) await retrying(() => warehouse.insert(batch))
  }
  // two at a time, so that one batch is generated while the other is inserted
  await Promise.all([insertAll(), insertAll()])
}
