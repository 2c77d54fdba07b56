import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { eventually } from '../../test/support/eventually.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startSecondApp } from '../../test/support/second-app.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'

const server = await startTestServer()
const { operator, base_url } = server

const issue = async (name = 'Night shift') => (await operator.createOperatorKey({ body: { name } })).body.data
const list = async () => (await operator.listOperatorKeys({ query: { limit: 200 } })).body.data
const at = (key_id: string) => ({ params: { key_id } })
const clientOf = ({ attributes }: Awaited<ReturnType<typeof issue>>) =>
  createDemarcClient({ retry: false, base_url, fetch: checkingFetch, credentials: attributes })

test('a new key shows its secret once and works immediately for all accounts', async () => {
  const key = await issue('Billing system')
  assert.match(key.attributes.access_key, /^ok[A-Za-z0-9]{16}$/)
  assert.match(key.attributes.secret_key, /^[A-Za-z0-9]{32}$/)
  const who = (await clientOf(key).whoami()).body.data
  assert.deepEqual([who.kind, who.account_id, who.access_key], ['operator', null, key.attributes.access_key])
  assert.equal((await clientOf(key).listAccounts()).status, 200)
  const { secret_key: _, ...shown } = key.attributes
  assert.deepEqual((await operator.getOperatorKey(at(key.id))).body.data, { ...key, attributes: shown })
  assert.deepEqual(
    (await list()).find(({ id }) => id === key.id),
    { ...key, attributes: shown },
  )
})

test('keys are listed in pages, oldest first, including revoked ones', async () => {
  const key = await issue()
  await operator.revokeOperatorKey(at(key.id))
  const all = await list()
  assert.deepEqual(
    all.map(({ id }) => Number(id)),
    all.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
  )
  const revoked_at = all.find(({ id }) => id === key.id)?.attributes.revoked_at ?? assert.fail()
  assert.ok(Math.abs(new Date(revoked_at).getTime() - server.clock.now().getTime()) < 60_000)
  const { body } = await operator.listOperatorKeys({ query: { limit: 1, offset: 1 } })
  assert.deepEqual(body.data, all.slice(1, 2))
  assert.equal(body.links.next, `${base_url}/operator/keys?limit=1&offset=2`)
})

test('a revoked key is refused immediately where it was revoked, and elsewhere once the notification arrives', async () => {
  const second = await startSecondApp(server)
  const key = await issue()
  const ask = (url: string) => wire(url, key.attributes)('GET /v2/whoami')
  for (const url of [base_url, second.base_url]) assert.equal((await ask(url)).status, 200)
  await operator.revokeOperatorKey(at(key.id))
  refused(await ask(base_url), 401)
  await eventually(async () => (await ask(second.base_url)).status === 401)
})

test('revoking an unknown or revoked key is a 404 and changes nothing', async () => {
  const key = await issue()
  await operator.revokeOperatorKey(at(key.id))
  const before = (await operator.listEvents()).body.data
  for (const id of [key.id, '999999', 'abc']) await refusal(operator.revokeOperatorKey(at(id)), 404)
  assert.equal(await sentence(operator.getOperatorKey(at('999999')), 404), 'There is no operator key 999999.')
  assert.deepEqual((await operator.listEvents()).body.data, before)
})

test('a key may revoke itself unless it is the last one, and that refusal says what to do', async () => {
  const [first, second] = [await issue('First'), await issue('Second')]
  for (const { id, attributes } of await list())
    if (attributes.revoked_at === null && ![first.id, second.id].includes(id))
      await clientOf(first).revokeOperatorKey(at(id))
  // two keys that revoke each other concurrently, repeatedly: one of the two requests is refused
  const verdicts = await Promise.allSettled([
    clientOf(first).revokeOperatorKey(at(second.id)),
    clientOf(second).revokeOperatorKey(at(first.id)),
  ])
  assert.equal(verdicts.filter((v) => v.status === 'fulfilled').length, 1)
  const left = verdicts[0].status === 'fulfilled' ? first : second
  assert.match(
    await sentence(clientOf(left).revokeOperatorKey(at(left.id)), 409),
    /last active operator key.*Issue another one with POST \/operator\/keys/,
  )
  const heir = (await clientOf(left).createOperatorKey({ body: { name: 'Heir' } })).body.data
  await clientOf(left).revokeOperatorKey(at(left.id))
  const working = (await clientOf(heir).listOperatorKeys({ query: { limit: 200 } })).body.data
  assert.deepEqual(
    working.filter(({ attributes }) => attributes.revoked_at === null).map(({ id }) => id),
    [heir.id],
  )
  const { body } = await clientOf(heir).listEvents({ query: { subject_type: 'operator_key', subject_id: left.id } })
  assert.deepEqual(
    body.data.map(({ attributes }) => [attributes.account_id, attributes.event_type, attributes.actor]),
    [
      [null, 'operator_key.revoked', `operator:${left.attributes.access_key}`],
      [null, 'operator_key.created', `operator:${server.operator_credentials.access_key}`],
    ],
  )
  assert.ok(!JSON.stringify((await clientOf(heir).listEvents()).body).includes(left.attributes.secret_key))
  for (const name of ['', 'demo operator', 'a\0b'])
    assert.deepEqual(Object.keys(await fieldErrors(clientOf(heir).createOperatorKey({ body: { name } }))), ['name'])
})
