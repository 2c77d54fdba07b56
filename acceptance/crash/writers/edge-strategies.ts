import { many } from '../json.ts'
import { Model } from '../model.ts'
import { newMark, someKey, type WriterKind } from '../world.ts'

const most = 20

export const edgeStrategies: WriterKind = {
  name: 'edge strategies',
  operations: ['createEdgeStrategy', 'replaceEdgeStrategy', 'deleteEdgeStrategy'],
  async open({ http, random, operator: by }) {
    const model = new Model('edge strategy')
    const newFields = () => ({
      description: `for ${random.below(1_000_000)}`,
      firewall_rules: '192.0.2.0/24',
      naptr: 'edge.example.com',
    })
    const create = async () => {
      const name = newMark('edge')
      const fields = newFields()
      const json = { name, ...fields }
      const outcome = await http.send({ operation: 'createEdgeStrategy', by, json, key: someKey(random) })
      model.created(name, fields, outcome)
    }
    const replace = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      const fields = newFields()
      const params = { edge_strategy_id: expected.id }
      const json = { name: expected.mark, ...fields }
      model.changed(expected, fields, await http.send({ operation: 'replaceEdgeStrategy', by, params, json }))
    }
    const remove = async () => {
      const expected = model.pick(random)
      if (expected?.id == null) return await create()
      const params = { edge_strategy_id: expected.id }
      model.removed(expected, await http.send({ operation: 'deleteEdgeStrategy', by, params }))
    }
    return {
      step: () => (model.settled().length > most ? remove() : random.pick([create, replace, remove])()),
      async count(findings) {
        const found = many(await http.read({ operation: 'listEdgeStrategiesAsOperator', by }))
        const own = found.filter(({ attributes }) => String(attributes['name']).startsWith('edge '))
        model.compareResources(own, 'name', findings)
      },
    }
  },
}
