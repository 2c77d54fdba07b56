import type { Findings } from '../findings.ts'
import type { OperationName, Outcome } from '../http.ts'
import { one } from '../json.ts'
import { Model } from '../model.ts'
import { listAll, newAccount, newCount, require, someKey, type Account, type World, type WriterKind } from '../world.ts'
import { compareInventory } from './inventory.ts'

const first_number = 12_087_200_000
const ordered = 2
const price_class = 'crash'
const free = { status: 'available', account_id: null }

/** Orders that need approval, of numbers with a price class whose prices change. */
export const numberOrders: WriterKind = {
  name: 'number orders',
  operations: [
    'approveNumberOrder',
    'rejectNumberOrder',
    'cancelNumberOrder',
    'setPriceClass',
    'setAccountPrice',
    'removeAccountPrice',
  ],
  async open(world) {
    const { http, operator: by, random } = world
    const account = await newAccount(world, 'number orders')
    const policy = { numbers_max: null, reserved_max: null, approval: 'all' }
    await require(http, { operation: 'setNumberPolicy', by, params: { account_id: account.id }, json: policy })
    const json = { monthly_cost: '1', setup_cost: '0' }
    await require(http, { operation: 'setPriceClass', by, params: { price_class }, json })
    const model = new Model('number of an order')
    const prices = pricesOf(world, account)
    const order = orderWith(world, account, model)
    return {
      step: () => random.pick([order, order, prices.setClass, prices.setAccount, prices.removeAccount])(),
      async count(findings) {
        await compareInventory(world, account, { model, first_number }, findings)
        await prices.compare(findings)
        await compareOrders(world, account, findings)
      },
    }
  },
}

/** Loads numbers, orders them, and decides the order. */
function orderWith({ http, random, operator }: World, { id: account_id, keys: by }: Account, model: Model) {
  const header = 'number,rate_center,state,price_class,supplier'
  return async () => {
    const numbers = Array.from({ length: ordered }, () => String(first_number + newCount()))
    const body = [header, ...numbers.map((value) => `${value},CRASHVILLE,ID,${price_class},own`)].join('\n')
    const bytes = { type: 'text/csv', body }
    const loaded = await http.send({ operation: 'loadInventory', by: operator, bytes, key: someKey(random) })
    const all = numbers.map((value) => model.created(value, free, loaded))
    for (const expected of all) expected.id = loaded.kind === 'done' ? expected.mark : null
    if (loaded.kind !== 'done') return
    const changed = (status: string, owner: string | null, outcome: Outcome) => {
      for (const expected of all) model.changed(expected, { status, account_id: owner }, outcome)
    }
    const sent = await http.send({ operation: 'createNumberOrder', by, json: { numbers }, key: someKey(random) })
    changed('reserved', account_id, sent)
    if (sent.kind !== 'done' || random.chance(0.1)) return
    const params = { numberorder_id: one(sent.body).id }
    const key = someKey(random)
    const decided = (operation: OperationName, sender: typeof by, json?: object) =>
      http.send({ operation, by: sender, params, key, ...(json && { json }) })
    const decision = random.pick(['approve', 'approve', 'reject', 'cancel'] as const)
    if (decision === 'approve') changed('active', account_id, await decided('approveNumberOrder', operator))
    if (decision === 'reject')
      changed('available', null, await decided('rejectNumberOrder', operator, { reason: 'Test' }))
    if (decision === 'cancel') changed('available', null, await decided('cancelNumberOrder', by))
  }
}

/** The price of the class and that of the account; null: it pays the price of the class. */
function pricesOf({ http, operator: by }: World, { id: account_id }: Account) {
  const possible: Record<'list' | 'own', (number | null)[]> = { list: [1], own: [null] }
  const changed = (which: 'list' | 'own', value: number | null, { kind }: { kind: string }) => {
    if (kind === 'done') possible[which] = [value]
    if (kind === 'unknown') possible[which].push(value)
  }
  const newPrice = () => {
    const monthly_cost = newCount()
    return { monthly_cost, json: { monthly_cost: String(monthly_cost), setup_cost: '0' } }
  }
  const params = { account_id, price_class }
  return {
    async setClass() {
      const { monthly_cost, json } = newPrice()
      const outcome = await http.send({ operation: 'setPriceClass', by, params: { price_class }, json })
      changed('list', monthly_cost, outcome)
    },
    async setAccount() {
      const { monthly_cost, json } = newPrice()
      changed('own', monthly_cost, await http.send({ operation: 'setAccountPrice', by, params, json }))
    },
    async removeAccount() {
      if (possible.own.length !== 1 || possible.own[0] === null) return
      changed('own', null, await http.send({ operation: 'removeAccountPrice', by, params }))
    },
    async compare(findings: Findings) {
      const all = await listAll(http, by, 'listAccountPrices', { params: { account_id } })
      const { list_monthly_cost, monthly_cost, is_negotiated } =
        all.find(({ id }) => id === price_class)?.attributes ?? {}
      const found = { list: Number(list_monthly_cost), own: is_negotiated === true ? Number(monthly_cost) : null }
      for (const which of ['list', 'own'] as const) {
        const values = possible[which]
        findings.expect(
          values.includes(found[which]),
          `the ${which} price is ${found[which]} and must be ${values.join(' or ')}`,
        )
        possible[which] = [found[which]]
      }
    },
  }
}

/** Every number of a completed order is on the account, once, and every pending one is reserved. */
async function compareOrders({ http, operator }: World, { id, keys: by }: Account, findings: Findings): Promise<void> {
  const orders = await listAll(http, by, 'listNumberOrders')
  const linesOf = (status: string) =>
    orders.flatMap(({ attributes }) =>
      attributes['status'] === status ? (attributes['numbers'] as { value: string }[]).map(({ value }) => value) : [],
    )
  const numbersIn = async (status: string) =>
    (await listAll(http, operator, 'listInventory', { query: { account_id: id, status } })).map((each) => each.id)
  for (const [status, of_order] of [
    ['active', 'completed'],
    ['reserved', 'pending_approval'],
  ] as const) {
    const [inventory, lines] = [await numbersIn(status), linesOf(of_order)]
    findings.expect(
      inventory.toSorted().join() === lines.toSorted().join(),
      `${inventory.length} numbers are ${status}, and ${of_order} orders have ${lines.length}`,
    )
  }
}
