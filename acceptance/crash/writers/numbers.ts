import type { OperationName } from '../http.ts'
import { related, type Resource } from '../json.ts'
import { Model, type Found } from '../model.ts'
import {
  listAll,
  newAccount,
  newCount,
  newMark,
  require,
  someKey,
  type Account,
  type World,
  type Writer,
  type WriterKind,
} from '../world.ts'
import { addressOf } from './e911.ts'

/** Numbers cannot be deleted, so few are added. */
const adding_share = 0.1
const many_share = 0.2
const batch = 3
const first_number = 14_254_200_000

const single = [
  'updateNumber',
  'setPrimaryRoute',
  'setFailoverRoute',
  'assignCnam',
  'unassignCnam',
  'assignE911',
  'unassignE911',
] as const satisfies readonly OperationName[]
const operations = ['addNumbers', 'updateNumbers', ...single] as const

/** Records that the account's numbers refer to. */
interface Targets {
  routes: readonly (string | null)[]
  cnams: readonly string[]
  e911s: readonly string[]
}

export const numbers: WriterKind = {
  name: 'numbers',
  operations,
  async open(world) {
    const account = await newAccount(world, 'numbers')
    return numberWriter(world, account, await targetsOf(world, account))
  },
}

async function targetsOf({ http, operator }: World, { keys: by }: Account): Promise<Targets> {
  const targets = { routes: [null] as (string | null)[], cnams: [] as string[], e911s: [] as string[] }
  for (const nth of [1, 2]) {
    const route = { alias: newMark('route'), route_type: 'host', value: `pbx-${nth}.example.com` }
    targets.routes.push((await require(http, { operation: 'createRoute', by, json: route })).id)
    const { id } = await require(http, { operation: 'createCnam', by, json: { value: `NAME ${newCount()}` } })
    await require(http, {
      operation: 'decideCnam',
      by: operator,
      params: { cnam_id: id },
      json: { is_approved: true },
    })
    targets.cnams.push(id)
    const json = { data: { type: 'e911', attributes: addressOf(newMark('office'), newCount()) } }
    targets.e911s.push((await require(http, { operation: 'createE911', by, json })).id)
  }
  return targets
}

function numberWriter(
  { http, random, operator }: World,
  { id: account_id, keys: by }: Account,
  targets: Targets,
): Writer {
  const model = new Model('number')
  const batches: string[][] = []

  const add = async () => {
    const values = Array.from({ length: 1 + random.below(batch) }, () => String(first_number + newCount()))
    batches.push(values)
    const json = { numbers: values.map((value) => ({ value, number_type: 'longcode', state: 'WA' })) }
    const params = { account_id }
    const outcome = await http.send({ operation: 'addNumbers', by: operator, params, json, key: someKey(random) })
    for (const value of values) model.created(value, initial, outcome).id = outcome.kind === 'done' ? value : null
  }
  const changeMany = async () => {
    const expected = [...new Set(Array.from({ length: batch }, () => model.pick(random)))].filter(
      (each) => each !== undefined,
    )
    if (expected.length === 0) return await add()
    const changes = expected.map(({ mark }) => manyChangeOf(mark, targets, (list) => random.pick(list)))
    const json = { mode: random.pick(['all_or_none', 'each']), numbers: changes.map(({ json }) => json) }
    const outcome = await http.send({ operation: 'updateNumbers', by, json, key: someKey(random) })
    for (const [i, each] of expected.entries()) model.changed(each, changes[i]?.fields ?? {}, outcome)
  }
  const change = async () => {
    const expected = model.pick(random)
    if (expected === undefined) return await add()
    const { fields, ...sending } = changeOf(random.pick(single), targets, (list) => random.pick(list))
    const params = { number: expected.mark, ...sending.params }
    const key = sending.operation.startsWith('un') ? undefined : someKey(random)
    model.changed(expected, fields, await http.send({ ...sending, by, params, key }))
  }
  return {
    step: () => (random.chance(adding_share) ? add() : random.chance(many_share) ? changeMany() : change()),
    async count(findings) {
      const found = (await listAll(http, by, 'listNumbers')).map(foundOf)
      model.compare(found, findings)
      const there = new Set(found.map(({ mark }) => mark))
      for (const values of batches) {
        const count = values.filter((value) => there.has(value)).length
        findings.expect(
          [0, values.length].includes(count),
          `only ${count} of the numbers ${values.join(', ')} are there`,
        )
      }
    },
  }
}

const initial = { alias: null, lookups: false, primary_route: '0', failover_route: null, cnam: null, e911: null }

interface Change {
  operation: OperationName
  params?: Record<string, string>
  json?: unknown
  fields: Record<string, unknown>
}

/** A request that changes a number, and the fields it changes. */
function changeOf(
  operation: (typeof single)[number],
  { routes, cnams, e911s }: Targets,
  pick: <T>(list: readonly T[]) => T,
): Change {
  const route = pick(routes)
  const json = { data: route === null ? null : { type: 'route', id: route } }
  if (operation === 'setPrimaryRoute') return { operation, json, fields: { primary_route: route ?? '0' } }
  if (operation === 'setFailoverRoute') return { operation, json, fields: { failover_route: route } }
  if (operation === 'unassignCnam') return { operation, fields: { cnam: null } }
  if (operation === 'unassignE911') return { operation, fields: { e911: null } }
  const cnam_id = pick(cnams)
  if (operation === 'assignCnam') return { operation, params: { cnam_id }, fields: { cnam: cnam_id } }
  const e911_id = pick(e911s)
  if (operation === 'assignE911') return { operation, params: { e911_id }, fields: { e911: e911_id } }
  const alias = newMark('line')
  const lookups = pick([true, false])
  return { operation: 'updateNumber', json: { alias, cnam_lookups_enabled: lookups }, fields: { alias, lookups } }
}

/** A change to one of several numbers, as sent and as read back. */
function manyChangeOf(
  value: string,
  { routes, cnams, e911s }: Targets,
  pick: <T>(list: readonly T[]) => T,
): { json: Record<string, unknown>; fields: Record<string, unknown> } {
  const [alias, primary, failover] = [newMark('line'), pick(routes), pick(routes)]
  const [cnam, e911] = [pick([null, ...cnams]), pick([null, ...e911s])]
  return {
    json: { value, alias, primary_route_id: primary, failover_route_id: failover, cnam_id: cnam, e911_id: e911 },
    fields: { alias, primary_route: primary ?? '0', failover_route: failover, cnam, e911 },
  }
}

function foundOf({ id, attributes, relationships }: Resource): Found {
  const fields = {
    alias: attributes['alias'],
    lookups: attributes['cnam_lookups_enabled'],
    primary_route: related(relationships, 'primary_route'),
    failover_route: related(relationships, 'failover_route'),
    cnam: related(relationships, 'cnam_preset'),
    e911: related(relationships, 'e911_address'),
  }
  return { id, mark: id, fields }
}
