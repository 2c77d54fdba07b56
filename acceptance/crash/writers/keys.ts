import type { Keys } from '../../support/service.ts'
import type { OperationName, Sending } from '../http.ts'
import { one } from '../json.ts'
import { Model } from '../model.ts'
import { signInOwner } from '../people.ts'
import { keysOf, listAll, newAccount, newMark, someKey, type World, type Writer, type WriterKind } from '../world.ts'

/** Most active keys at a time. */
const most = 20
/** How many secrets are tried at each count. */
const tried = 5

interface KeyOperations {
  create: OperationName
  revoke: OperationName
  list: OperationName
  params: Record<string, string>
  by: Sending['by']
}

export const accountKeys: WriterKind = {
  name: 'access keys',
  operations: ['createKey', 'revokeKey'],
  async open(world) {
    const { id: account_id } = await newAccount(world, 'access keys')
    return keyWriter(world, {
      create: 'createKey',
      revoke: 'revokeKey',
      list: 'listKeys',
      params: { account_id },
      by: world.operator,
    })
  },
}

export const operatorKeys: WriterKind = {
  name: 'operator keys',
  operations: ['createOperatorKey', 'revokeOperatorKey'],
  open: async (world) =>
    keyWriter(world, {
      create: 'createOperatorKey',
      revoke: 'revokeOperatorKey',
      list: 'listOperatorKeys',
      params: {},
      by: world.operator,
    }),
}

export const ownKeys: WriterKind = {
  name: 'keys that an owner makes',
  operations: ['createOwnKey', 'revokeOwnKey'],
  async open(world) {
    const { by } = await signInOwner(world, 'own keys')
    return keyWriter(world, { create: 'createOwnKey', revoke: 'revokeOwnKey', list: 'listOwnKeys', params: {}, by })
  },
}

/** Issues and revokes keys and tries their secrets. Keys created elsewhere have other names. */
function keyWriter({ http, random }: World, { create, revoke, list, params, by }: KeyOperations): Writer {
  const model = new Model(`key of ${list}`)
  const secrets = new Map<string, Keys>()
  const working = () => model.settled().filter((expected) => expected.fields.get('revoked')?.[0] === false)

  const issue = async () => {
    const name = newMark('key')
    const outcome = await http.send({ operation: create, by, params, json: { name }, key: someKey(random) })
    model.created(name, { revoked: false }, outcome)
    if (outcome.kind === 'done') secrets.set(name, keysOf(one(outcome.body)))
  }
  const revokeOne = async () => {
    const [expected] = working()
    if (expected?.id == null) return await issue()
    const sending: Sending = { operation: revoke, by, params: { ...params, key_id: expected.id } }
    model.changed(expected, { revoked: true }, await http.send(sending))
  }
  return {
    step: () => (working().length > most || random.chance(0.4) ? revokeOne() : issue()),
    async count(findings) {
      const found = (await listAll(http, by, list, { params }))
        .map(({ id, attributes }) => ({
          id,
          mark: String(attributes['name']),
          fields: { revoked: attributes['revoked_at'] !== null },
        }))
        .filter(({ mark }) => mark.startsWith('key '))
      model.compare(found, findings)
      for (const { mark, fields } of model.settled().slice(-tried)) {
        const secret = secrets.get(mark)
        if (secret === undefined) continue
        const refused = fields.get('revoked')?.[0] === true ? { refused_with: [401] } : {}
        await http.send({ operation: 'whoami', by: secret, ...refused })
      }
    },
  }
}
