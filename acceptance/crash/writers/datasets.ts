import { many, one } from '../json.ts'
import { hang_ms, until } from '../../support/until.ts'
import { Model, type Expected } from '../model.ts'
import { newCount, newMark, someKey, type WriterKind } from '../world.ts'

const most = 4
const share = 0.2

/** One made-up street, different each time, in an area without other data. */
const streetData = (street: number) =>
  `Country,State,Post_Code,Post_Comm,MSAGComm,Add_Number,St_Name,St_PosTyp\nUS,OK,73038,Fort Cobb,Fort Cobb,77,Crash ${street},Rd\n`

export const datasets: WriterKind = {
  name: 'street data',
  operations: ['importE911Dataset', 'activateE911Dataset', 'deleteE911Dataset'],
  async open({ http, random, operator: by }) {
    const model = new Model('street data')

    const load = async () => {
      const name = newMark('streets')
      const activate = random.chance(0.5)
      const outcome = await http.send({
        operation: 'importE911Dataset',
        by,
        query: { name, vintage: '1', format: 'nena-ssap-csv', activate: String(activate) },
        bytes: { type: 'text/csv', body: streetData(newCount()) },
        key: someKey(random),
      })
      model.created(name, { status: activate ? 'active' : 'loaded' }, outcome)
    }
    const loaded = (params: Record<string, string>) =>
      until('street data to be loaded', hang_ms, async () => {
        const body = await http.read({ operation: 'getE911Dataset', by, params })
        return body === null || one(body).attributes['status'] !== 'loading'
      })
    const change = async (act: (expected: Expected, params: Record<string, string>) => Promise<void>) => {
      const expected = model.pick(random)
      if (expected?.id == null) return await load()
      const params = { dataset_id: expected.id }
      await loaded(params)
      await act(expected, params)
    }
    const activate = (expected: Expected, params: Record<string, string>) =>
      http
        .send({ operation: 'activateE911Dataset', by, params, key: someKey(random) })
        .then((outcome) => model.changed(expected, { status: 'active' }, outcome))
    const remove = (expected: Expected, params: Record<string, string>) =>
      http
        .send({ operation: 'deleteE911Dataset', by, params, query: { force: 'true' } })
        .then((outcome) => model.removed(expected, outcome))
    return {
      async step() {
        if (!random.chance(share)) return
        if (model.settled().length > most) return await change(remove)
        await random.pick([load, () => change(activate), () => change(remove)])()
      },
      async count(findings) {
        const found = many(await http.read({ operation: 'listE911Datasets', by }))
        const own = found.filter(({ attributes }) => String(attributes['name']).startsWith('streets '))
        model.compareResources(own, 'name', findings)
      },
    }
  },
}
