import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { documentClient } from '../../test/support/documents.ts'
import { factories } from '../../test/support/factories.ts'
import { lastEvent } from '../../test/support/events.ts'
import { fieldErrors, refusal } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused } from '../../test/support/wire.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { createNumbers, setCnam, setVoiceRoute, takenNumbers, updateNumber, type NumberInput } from './index.ts'

const server = await startTestServer()

const { client, id: account_id } = server.account
const { newNumber, newRoute, newCnam } = factories(server)

const longcode = (value: string) => ({ value, number_type: 'longcode' as const })

const get = async (number: string) => (await client.getNumber({ params: { number } })).body

test('numbers are added to an account in input order', async () => {
  const account = await server.newAccount('New numbers')
  const numbers = [
    { value: '+12535550102', number_type: 'longcode' as const, state: 'WA', rate_center: 'TACOMA', alias: 'B' },
    { value: '12535550101', number_type: 'longcode' as const },
    { value: '18885550101', number_type: 'toll-free' as const, alias: null },
    { value: '14165550101', number_type: 'longcode' as const, state: 'ON' },
  ]
  const { status, body, headers } = await server.operator.addNumbers({
    params: { account_id: account.id },
    body: { numbers },
  })
  assert.equal(status, 201)
  assert.equal(headers.get('content-type'), 'application/json')
  assert.deepEqual(
    body.data.map((n) => n.id),
    [12_535_550_102, 12_535_550_101, 18_885_550_101, 14_165_550_101],
  )
  assert.deepEqual(
    body.data.map((n) => n.attributes.iso_country),
    ['US', 'US', 'US', 'CA'],
  )
  const event = await lastEvent(server.db, 'numbers.added')
  assert.deepEqual([event?.chain_id, event?.subject_id], [account.id, account.id])
  assert.partialDeepStrictEqual(event?.data, { numbers_count: 4 })
  const listed = await account.client.listNumbers()
  assert.deepEqual(
    listed.body.data.map((n) => n.id),
    [12_535_550_101, 12_535_550_102, 14_165_550_101, 18_885_550_101],
  )
})

test('if any number is invalid, none is added and every error is reported', async () => {
  const account = await server.newAccount('Invalid numbers')
  const there = await newNumber()
  const params = { account_id: account.id }
  const numbers = [longcode('13605550101'), longcode(there), longcode('13605550101'), longcode('18005550199')]
  assert.deepEqual(await fieldErrors(server.operator.addNumbers({ params, body: { numbers } })), {
    'numbers.1.value': ['Is already on an account.'],
    'numbers.2.value': ['Is the same number as numbers.0.'],
    'numbers.3.number_type': ['Must be "toll-free", because area code 800 is for those.'],
  })
  assert.deepEqual((await account.client.listNumbers()).body.data, [])
  const malformed = [longcode('2065550100'), longcode('11065550100'), { ...longcode('13605550101'), state: 'wa' }]
  assert.deepEqual(
    Object.keys(await fieldErrors(server.operator.addNumbers({ params, body: { numbers: malformed } }))),
    ['numbers.0.value', 'numbers.1.value', 'numbers.2.state'],
  )
  assert.deepEqual(await fieldErrors(server.operator.addNumbers({ params, body: { numbers: [] } })), {
    numbers: ['At least 1 entry.'],
  })
  const body = { numbers: [longcode('13605550101')] }
  await refusal(server.operator.addNumbers({ params: { account_id: '987654321' }, body }), 404)
  await refusal(account.client.addNumbers({ params, body }), 403)
})

test('shape errors in one entry do not hide existing or repeated numbers', async () => {
  const there = await newNumber()
  const { write } = documentClient(server.base_url, server.operator_credentials)
  const numbers = [
    { ...longcode(there), state: 'wa' },
    { value: '13605550171', number_type: 'cellular', alias: 'x'.repeat(101) },
    longcode('2065550100'),
    longcode(there),
    { value: '+13605550171' },
    longcode('18005550199'),
    'none',
  ]
  const response = await write(`POST /operator/accounts/${account_id}/numbers`, { numbers, color: 'red' })
  assert.deepEqual(refused(response, 422).detail, {
    color: ['Is not a known field.'],
    'numbers.0.state': ['Must be two capital letters.'],
    'numbers.0.value': ['Is already on an account.'],
    'numbers.1.number_type': ['Must be one of: longcode, toll-free.'],
    'numbers.1.alias': ['At most 100 characters.'],
    'numbers.2.value': ['Must be 11 digits in E.164 form, beginning with 1.'],
    'numbers.3.value': ['Is the same number as numbers.0.', 'Is already on an account.'],
    'numbers.4.number_type': ['Is required.'],
    'numbers.4.value': ['Is the same number as numbers.1.'],
    'numbers.5.number_type': ['Must be "toll-free", because area code 800 is for those.'],
    'numbers.6': ['Must be an object.'],
  })
})

test('when two accounts add the same number concurrently, one gets all its numbers and the other none', async () => {
  const accounts = [await server.newAccount('Fast'), await server.newAccount('Faster')]
  const numbers = ['14255550103', '14255550101', '14255550102'].map((value) => ({
    value,
    number_type: 'longcode' as const,
  }))
  const outcomes = await Promise.allSettled(
    accounts.map(({ id }) => server.operator.addNumbers({ params: { account_id: id }, body: { numbers } })),
  )
  const counts = await Promise.all(accounts.map(async (a) => (await a.client.listNumbers()).body.data.length))
  assert.deepEqual(new Set(counts), new Set([0, 3]))
  assert.deepEqual(outcomes.map((o) => o.status).toSorted(), ['fulfilled', 'rejected'])
})

test('thousands of numbers are added at once, and taken ones are listed instead of failing', async () => {
  const account = await server.newAccount('Thousands')
  const { deps } = server.runtime
  const inputs: NumberInput[] = Array.from({ length: 20_000 }, (_, i) => ({
    value: String(17_025_000_000 + i),
    number_type: 'longcode',
    alias: `Customer ${i}`,
    message_status: 'provisioned',
  }))
  const write = (values: readonly NumberInput[]) =>
    inTransaction(deps.db, (tx) => createNumbers({ ...deps, tx, actor: systemActor('test', null) }, account.id, values))
  const first = await write(inputs.slice(0, 100))
  assert.deepEqual([first.created.length, first.taken], [100, []])
  const all = await write(inputs)
  assert.equal(all.created.length, 19_900)
  assert.deepEqual(
    all.taken,
    inputs.slice(0, 100).map((n) => n.value),
  )
  assert.deepEqual(await takenNumbers(deps.db, ['17025000005', '17029999999']), ['17025000005'])
  const { included } = (await account.client.getNumber({ params: { number: '17025019999' } })).body
  assert.partialDeepStrictEqual(included.at(-1), { attributes: { status: 'provisioned', tn: '17025019999' } })
})

test('other features get the reason a voice route or name cannot be assigned, without an exception', async () => {
  const { deps } = server.runtime
  const [number, waiting] = [await newNumber(), await newCnam('waiting')]
  const foreign = await newRoute(server.other)
  await inTransaction(deps.db, async (tx) => {
    const c = { ...deps, tx, actor: systemActor('test', account_id) }
    assert.equal(await setVoiceRoute(c, number, 'primary', foreign), `No route ${foreign} is on this account.`)
    assert.equal(await setVoiceRoute(c, number, 'failover', '0'), null)
    await updateNumber(c, number, { alias: 'Ported' })
    assert.deepEqual(await setCnam(c, number, waiting), {
      cnam_id: [`Caller ID name ${waiting} is not approved yet.`],
    })
    assert.deepEqual(await setCnam(c, number, '999999999'), {
      cnam_id: ['No caller ID name 999999999 is on this account.'],
    })
  })
  const { attributes, relationships } = (await get(number)).data
  assert.deepEqual([attributes.alias, relationships.failover_route.data?.id], ['Ported', 0])
})

test('thousands of numbers are inserted a few hundred at a time, which a slow machine finishes within the statement timeout', async () => {
  const account = await server.newAccount('Large')
  await sql`
    create table inserted (rows_count int);
    create function count_inserted() returns trigger language plpgsql as
      'begin insert into inserted select count(*) from added; return null; end';
    create trigger count_inserted after insert on number referencing new table as added
      for each statement execute function count_inserted()`.execute(server.db)
  const values = Array.from({ length: 1_201 }, (_, n) => String(15_415_550_000 + n))
  const context = { ...server.runtime.deps, actor: systemActor('test', null) }
  const { created, taken } = await inTransaction(server.db, (tx) =>
    createNumbers({ ...context, tx }, account.id, values.map(longcode)),
  )
  await sql`drop trigger count_inserted on number`.execute(server.db)
  assert.deepEqual([created.map(({ value }) => value), taken], [values, []])
  const { rows } = await sql<{ rows_count: number }>`select rows_count from inserted`.execute(server.db)
  assert.deepEqual(
    rows.map(({ rows_count }) => rows_count),
    [500, 500, 201],
  )
  assert.partialDeepStrictEqual(await lastEvent(server.db, 'numbers.added'), { data: { numbers_count: 1_201 } })
})
