import { many } from '../json.ts'
import { Model } from '../model.ts'
import { newAccount, newCount, someKey, type WriterKind } from '../world.ts'

const most = 30

export const cnams: WriterKind = {
  name: 'caller ID names',
  operations: ['createCnam', 'updateCnam', 'decideCnam', 'deleteCnam'],
  async open(world) {
    const { http, random, operator } = world
    const { keys: by } = await newAccount(world, 'caller ID names')
    const model = new Model('caller ID name')
    const newValue = () => `NAME ${newCount()}`

    const create = async () => {
      const value = newValue()
      const outcome = await http.send({ operation: 'createCnam', by, json: { value }, key: someKey(random) })
      model.created(value, { value, is_approved: false, rejection_reason: null }, outcome)
    }
    const change = async () => {
      const expected = model.pick(random)
      if (expected?.id == null || expected.fields.get('is_approved')?.[0] === true) return await create()
      const json = { value: newValue() }
      const params = { cnam_id: expected.id }
      const outcome = await http.send({ operation: 'updateCnam', by, params, json, key: someKey(random) })
      model.changed(expected, { ...json, rejection_reason: null }, outcome)
    }
    const decide = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      const is_approved = random.chance(0.5)
      const json = { is_approved, rejection_reason: is_approved ? null : `No. ${newCount()}` }
      const params = { cnam_id: expected.id }
      const outcome = await http.send({ operation: 'decideCnam', by: operator, params, json, key: someKey(random) })
      model.changed(expected, json, outcome)
    }
    const remove = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      model.removed(expected, await http.send({ operation: 'deleteCnam', by, params: { cnam_id: expected.id } }))
    }
    return {
      step: () => (model.settled().length > most ? remove() : random.pick([create, change, decide, remove])()),
      async count(findings) {
        const found = many(await http.read({ operation: 'listCnams', by }))
        model.compareResources(found, 'value', findings)
      },
    }
  },
}
