import { Model } from '../model.ts'
import { listAll, newAccount, newMark, someKey, type WriterKind } from '../world.ts'

/** Most routes at a time: deleted ones count too. */
const most = 40

export const routes: WriterKind = {
  name: 'voice routes',
  operations: ['createRoute', 'updateRoute', 'deleteRoute'],
  async open(world) {
    const { http, random } = world
    const { keys: by } = await newAccount(world, 'voice routes')
    const model = new Model('voice route')
    const newValue = () => `pbx-${random.below(1_000_000)}.example.com`

    const create = async () => {
      const alias = newMark('route')
      const value = newValue()
      const json = { alias, route_type: 'host', value }
      model.created(alias, { value }, await http.send({ operation: 'createRoute', by, json, key: someKey(random) }))
    }
    const createWrongly = async () => {
      const alias = newMark('route')
      const json = { alias, route_type: 'number', value: 'not a number' }
      const outcome = await http.send({ operation: 'createRoute', by, json, key: someKey(random), refused_with: [422] })
      model.created(alias, {}, outcome)
    }
    const change = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      const json = { value: newValue() }
      const params = { route_id: expected.id }
      model.changed(
        expected,
        json,
        await http.send({ operation: 'updateRoute', by, params, json, key: someKey(random) }),
      )
    }
    const remove = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      model.removed(expected, await http.send({ operation: 'deleteRoute', by, params: { route_id: expected.id } }))
    }
    return {
      async step() {
        if (model.settled().length > most) return await remove()
        await random.pick([create, create, change, change, remove, createWrongly])()
      },
      async count(findings) {
        const found = (await listAll(http, by, 'listRoutes')).filter(({ id }) => id !== '0')
        model.compareResources(found, 'alias', findings)
      },
    }
  },
}
