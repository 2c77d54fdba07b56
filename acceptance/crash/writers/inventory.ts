import type { Findings } from '../findings.ts'
import { one } from '../json.ts'
import { Model, type Expected } from '../model.ts'
import { listAll, newAccount, newCount, someKey, type Account, type World, type WriterKind } from '../world.ts'

const first_number = 12_537_200_000
const batch = 3
const header = 'number,rate_center,state,monthly_cost,setup_cost,supplier'
/** Released numbers return to the inventory after 45 days of the service's clock. */
const restorable_s = 40 * 86_400

export const inventory: WriterKind = {
  name: 'number inventory',
  operations: [
    'loadInventory',
    'orderNumber',
    'releaseNumber',
    'restoreNumber',
    'createNumberOrder',
    'createNumberReservation',
    'extendNumberReservation',
    'releaseNumberReservation',
    'changeInventory',
    'setNumberPolicy',
  ],
  async open(world) {
    const account = await newAccount(world, 'number inventory')
    const model = new Model('inventory number')
    const single = numberSteps(world, account, model)
    const many = manySteps(world, account, model, single.load)
    const limit = limitOf(world, account)
    return {
      step: () => world.random.pick([...Object.values(single), single.order, ...Object.values(many), limit.set])(),
      async count(findings) {
        await compareInventory(world, account, { model, first_number }, findings)
        await limit.compare(findings)
      },
    }
  },
}

const free = { status: 'available', account_id: null }
const activeOn = ({ id: account_id }: Account) => ({ status: 'active', account_id })
const inStatus = (model: Model, status: string) =>
  model.settled().filter(({ fields }) => fields.get('status')?.[0] === status)

/** Loading numbers, and changing one of them. */
function numberSteps({ http, random, operator, clock }: World, account: Account, model: Model) {
  const { id: account_id, keys: by } = account
  const load = async () => {
    const values = Array.from({ length: 1 + random.below(batch) }, () => String(first_number + newCount()))
    const body = [header, ...values.map((value) => `${value},CRASHVILLE,WA,1.25,1.00,own`)].join('\n')
    const bytes = { type: 'text/csv', body }
    const outcome = await http.send({ operation: 'loadInventory', by: operator, bytes, key: someKey(random) })
    for (const value of values) model.created(value, free, outcome).id = outcome.kind === 'done' ? value : null
  }
  const withOne = async (status: string, act: (expected: Expected, params: { number: string }) => Promise<void>) => {
    const found = inStatus(model, status)
    if (found.length === 0) return await load()
    const expected = random.pick(found)
    await act(expected, { number: expected.mark })
  }
  const order = () =>
    withOne('available', async (expected, params) => {
      const outcome = await http.send({ operation: 'orderNumber', by, params, json: {}, key: someKey(random) })
      model.changed(expected, activeOn(account), outcome)
    })
  const release = () =>
    withOne('active', async (expected, params) => {
      const outcome = await http.send({ operation: 'releaseNumber', by, params })
      model.changed(expected, { status: 'aging', account_id }, outcome)
    })
  const restore = () =>
    withOne('aging', async (expected, params) => {
      if (clock.moved_s > restorable_s) return
      const outcome = await http.send({ operation: 'restoreNumber', by, params, key: someKey(random) })
      model.changed(expected, activeOn(account), outcome)
    })
  return { load, order, release, restore }
}

/** Ordering several numbers, reserving one, and holding one. */
function manySteps({ http, random, operator }: World, account: Account, model: Model, load: () => Promise<void>) {
  const { id: account_id, keys: by } = account
  const order = async () => {
    const expected = inStatus(model, 'available').slice(0, batch)
    if (expected.length === 0) return await load()
    const json = { numbers: expected.map(({ mark }) => mark) }
    const outcome = await http.send({ operation: 'createNumberOrder', by, json, key: someKey(random) })
    for (const each of expected) model.changed(each, activeOn(account), outcome)
  }
  const reserve = async () => {
    const [expected] = inStatus(model, 'available')
    if (expected === undefined) return await load()
    const json = { numbers: [expected.mark] }
    const outcome = await http.send({ operation: 'createNumberReservation', by, json, key: someKey(random) })
    model.changed(expected, { status: 'reserved', account_id }, outcome)
    if (outcome.kind !== 'done') return
    const params = { numberreservation_id: one(outcome.body).id }
    if (random.chance(0.5)) await http.send({ operation: 'extendNumberReservation', by, params, key: someKey(random) })
    model.changed(expected, free, await http.send({ operation: 'releaseNumberReservation', by, params }))
  }
  const takeOffSale = async () => {
    const [expected] = [...inStatus(model, 'held'), ...inStatus(model, 'available')]
    if (expected === undefined) return await load()
    const is_held = expected.fields.get('status')?.[0] === 'held'
    const json = { numbers: [expected.mark], action: is_held ? 'make_available' : 'hold', reason: 'Test' }
    const outcome = await http.send({ operation: 'changeInventory', by: operator, json, key: someKey(random) })
    model.changed(expected, { status: is_held ? 'available' : 'held' }, outcome)
  }
  return { order, reserve, takeOffSale }
}

/** Compares the inventory with the model, and with the numbers on the account. */
export async function compareInventory(
  { http, operator }: World,
  { keys: by }: Account,
  { model, first_number }: { model: Model; first_number: number },
  findings: Findings,
): Promise<void> {
  // reservations expire and released numbers return while the clock moves
  for (const { fields } of model.all())
    if (['reserved', 'aging'].some((status) => fields.get('status')?.includes(status))) {
      fields.get('status')?.push(free.status)
      fields.get('account_id')?.push(free.account_id)
    }
  const query = { starts_with: String(first_number).slice(0, 5) }
  const found = await listAll(http, operator, 'listInventory', { query })
  model.compare(
    found.map(({ id, attributes }) => ({ id, mark: id, fields: attributes })),
    findings,
  )
  const owned = (await listAll(http, by, 'listNumbers')).map(({ id }) => id)
  const sold = found.filter(({ attributes }) => attributes['status'] === 'active').map(({ id }) => id)
  findings.expect(
    owned.toSorted().join() === sold.toSorted().join(),
    `the account has ${owned.length} numbers, and the inventory says ${sold.length}`,
  )
}

/** The account's limit of numbers, which is never reached. */
function limitOf({ http, operator: by }: World, { id: account_id }: Account) {
  let possible: (number | null)[] = [null]
  return {
    async set() {
      const numbers_max = 1_000_000 + newCount()
      const json = { numbers_max, reserved_max: null, approval: 'none' }
      const outcome = await http.send({ operation: 'setNumberPolicy', by, params: { account_id }, json })
      if (outcome.kind === 'done') possible = [numbers_max]
      if (outcome.kind === 'unknown') possible.push(numbers_max)
    },
    async compare(findings: Findings) {
      const policy = one(await http.read({ operation: 'getNumberPolicy', by, params: { account_id } }))
      const { numbers_max } = policy.attributes
      findings.expect(
        possible.some((each) => each === numbers_max),
        `the limit of numbers is ${String(numbers_max)} and must be ${possible.join(' or ')}`,
      )
    },
  }
}
