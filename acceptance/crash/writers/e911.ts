import { Model } from '../model.ts'
import { listAll, newAccount, newCount, newMark, someKey, type WriterKind } from '../world.ts'

const most = 20

/** An address in the demo data's made-up town, different for each number. */
export const addressOf = (label: string, unit: number) => ({
  label,
  first_name: 'Rosa',
  last_name: 'Diaz',
  street_number: '100',
  street_name: 'N Main St',
  address_type: 'Suite',
  address_type_number: String(unit),
  city: 'Friendship',
  state: 'WI',
  country: 'US',
  zip: '53934',
})

export const e911: WriterKind = {
  name: 'emergency addresses',
  operations: ['createE911', 'updateE911', 'deleteE911'],
  async open(world) {
    const { http, random } = world
    const { keys: by } = await newAccount(world, 'emergency addresses')
    const model = new Model('emergency address')

    const create = async () => {
      const label = newMark('office')
      const json = { data: { type: 'e911', attributes: addressOf(label, newCount()) } }
      const outcome = await http.send({ operation: 'createE911', by, json, key: someKey(random) })
      model.created(label, { first_name: 'Rosa' }, outcome)
    }
    const createWrongly = async () => {
      const label = newMark('office')
      const attributes = { ...addressOf(label, newCount()), street_number: '98765' }
      const json = { data: { type: 'e911', attributes } }
      model.created(label, {}, await http.send({ operation: 'createE911', by, json, refused_with: [400] }))
    }
    const change = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      const attributes = { first_name: `Rosa ${newCount()}` }
      const json = { data: { type: 'e911', attributes } }
      const params = { e911_id: expected.id }
      const outcome = await http.send({ operation: 'updateE911', by, params, json, key: someKey(random) })
      model.changed(expected, attributes, outcome)
    }
    const remove = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      model.removed(expected, await http.send({ operation: 'deleteE911', by, params: { e911_id: expected.id } }))
    }
    return {
      step: () =>
        model.settled().length > most ? remove() : random.pick([create, create, change, remove, createWrongly])(),
      async count(findings) {
        const found = await listAll(http, by, 'listE911s')
        model.compareResources(found, 'label', findings)
      },
    }
  },
}
