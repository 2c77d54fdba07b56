import type { Findings } from '../findings.ts'
import { Model } from '../model.ts'
import { listAll, newAccount, newCount, newMark, someKey, type Account, type World, type WriterKind } from '../world.ts'

const first_number = 12_067_300_000
const changes = ['confirmed', 'completed', 'canceled', 'rejected'] as const

/** Port-outs of new numbers, and what the operator and the customer do with them. */
export const portouts: WriterKind = {
  name: 'port-outs',
  operations: ['createPortout', 'changePortout', 'respondToPortout'],
  async open(world) {
    const account = await newAccount(world, 'port-outs')
    const { http } = world
    const { keys: by } = account
    const model = new Model('port-out')
    const numbers = new Map<string, string>()
    const steps = stepsOf(world, account, model, numbers)
    return {
      step: () => world.random.pick(steps)(),
      async count(findings) {
        const found = await listAll(http, by, 'listPortouts')
        model.compareResources(found, 'reference', findings)
        const owned = new Set((await listAll(http, by, 'listNumbers')).map(({ id }) => id))
        for (const { attributes } of found) compare(attributes, owned, numbers, findings)
      },
    }
  },
}

function stepsOf(
  { http, random, operator }: World,
  { id: account_id, keys: by }: Account,
  model: Model,
  numbers: Map<string, string>,
) {
  const create = async () => {
    const number = String(first_number + newCount())
    const json = { numbers: [{ value: number, number_type: 'longcode' }] }
    const added = await http.send({ operation: 'addNumbers', by: operator, params: { account_id }, json })
    if (added.kind !== 'done') return
    const reference = newMark('port-out')
    numbers.set(reference, number)
    const request = {
      numbers: [number],
      gaining_carrier: 'Lakeview Telephone',
      gaining_spid: '599X',
      reference,
      requested_due_date: '2030-01-02',
      passcode_result: 'mismatched',
    }
    const outcome = await http.send({ operation: 'createPortout', by: operator, json: request, key: someKey(random) })
    model.created(reference, { status: 'open', customer_response: null }, outcome)
  }
  const withOpen = async (
    act: (portout_id: string, expected: ReturnType<Model['settled']>[number]) => Promise<void>,
  ) => {
    const open = model.settled().filter(({ fields }) => fields.get('status')?.[0] === 'open')
    const expected = open.length === 0 ? undefined : random.pick(open)
    if (!expected?.id) return await create()
    await act(expected.id, expected)
  }
  const change = () =>
    withOpen(async (portout_id, expected) => {
      const status = random.pick(changes)
      const json = {
        status,
        ...(status === 'confirmed' ? { foc_date: '2100-01-04' } : {}),
        ...(status === 'rejected' ? { reason_code: 'passcode' } : {}),
      }
      const params = { portout_id }
      const outcome = await http.send({
        operation: 'changePortout',
        by: operator,
        params,
        json,
        key: someKey(random),
      })
      model.changed(expected, { status }, outcome)
    })
  const respond = () =>
    withOpen(async (portout_id, expected) => {
      const json = { response: 'authorized' }
      const params = { portout_id }
      const outcome = await http.send({ operation: 'respondToPortout', by, params, json, key: someKey(random) })
      model.changed(expected, { customer_response: 'authorized' }, outcome)
    })
  return [create, change, respond]
}

/** The number of a port-out is on the account until it is completed. */
function compare(
  { status, reference }: Record<string, unknown>,
  owned: ReadonlySet<string>,
  numbers: ReadonlyMap<string, string>,
  findings: Findings,
): void {
  const is_owned = owned.has(numbers.get(String(reference)) ?? '')
  findings.expect(
    is_owned === (status !== 'completed'),
    `the number of port-out ${String(reference)}, which is ${String(status)}, is ${is_owned ? 'still' : 'not'} on the account`,
  )
}
