import { Model } from '../model.ts'
import { listAll, newMark, someKey, type WriterKind } from '../world.ts'

/** Accounts cannot be deleted, so few are created. */
const share = 0.1

export const accounts: WriterKind = {
  name: 'accounts',
  operations: ['createAccount'],
  async open({ http, random, operator: by }) {
    const model = new Model('account')
    return {
      async step() {
        if (!random.chance(share)) return
        const name = newMark('account')
        const outcome = await http.send({ operation: 'createAccount', by, json: { name }, key: someKey(random) })
        model.created(name, {}, outcome)
      },
      async count(findings) {
        const found = await listAll(http, by, 'listAccounts', { query: { name: 'account ' } })
        model.compareResources(found, 'name', findings)
      },
    }
  },
}
