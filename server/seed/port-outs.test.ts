import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../test/support/server.ts'
import { inTransaction } from '../src/platform/db.ts'
import { dentist } from './cast.ts'
import { portoutSteps } from './port-outs.ts'

const server = await startTestServer()

test('another carrier has asked for a number, and has taken over another one', async () => {
  const account = await server.newAccount(dentist.name)
  await server.operator.addNumbers({ params: { account_id: account.id }, body: { numbers: [...dentist.numbers] } })
  const actor = { kind: 'system', job: 'test' } as const
  await inTransaction(server.db, async (tx) => {
    const c = { ...server.runtime.deps, tx }
    const at = {
      dentist: { ...c, actor: { ...actor, account_id: account.id } },
      operator: { ...c, actor: { ...actor, account_id: null } },
    }
    for (const { run } of portoutSteps(() => '2027-03-01')) await run(at)
  })
  const { data } = (await account.client.listPortouts()).body
  assert.deepEqual(
    data.map(({ attributes: { status, numbers } }) => [status, numbers]),
    [
      ['open', ['12065550102']],
      ['completed', ['12065550105']],
    ],
  )
  await assert.rejects(account.client.getNumber({ params: { number: '12065550105' } }), { status: 404 })
  await assert.rejects(account.client.releaseNumber({ params: { number: '12065550102' } }), { status: 409 })
})
