import assert from 'node:assert/strict'
import { test } from 'node:test'
import { details, freshNumber, newOrder, orderBody, sign } from '../../test/support/port-orders.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { storedFiles } from '../order-documents/testing/pulls.ts'

/** Signing an order claims its numbers for the account. Unsigned orders block no one else, and others can't see them. */

const unsigned_max = 30
const server = await startTestServer({ env: { DEMARC_UNSIGNED_NUMBERS: String(unsigned_max) } })
const { account, other } = server

const askedBy = async ({ client }: Pick<TestAccount, 'client'>, numbers: string[]) =>
  (await client.checkPortability({ body: { numbers } })).body.data
const transition = (id: string, to: string) =>
  server.operator.transitionPortOrder({ params: { portorder_id: id }, body: { to } })
const newAccount = async (name: string) => await server.newAccount(name)

test('an unsigned order does not block another account and is invisible to it; the same account cannot order its numbers again', async () => {
  const [number, free] = [freshNumber(), freshNumber()]
  await newOrder(account, { numbers: [number] })
  assert.deepEqual(await askedBy(other, [number]), {
    ...(await askedBy(other, [free])),
    portable: [number],
    details: [{ number, kind: 'local', country: 'US', regions: ['WA'], carrier: null }],
  })
  const dry = await other.client.createPortOrder({ query: { dry_run: true }, body: orderBody({ numbers: [number] }) })
  assert.equal(dry.status, 200)
  const theirs = await newOrder(other, { numbers: [number] })
  const { findings } = (await other.client.checkPortOrder({ params: { portorder_id: theirs.id } })).body.data.attributes
  assert.deepEqual(
    findings.filter((f) => f.severity === 'error'),
    [],
  )
  assert.deepEqual(await fieldErrors(newOrder(account, { numbers: [number] })), {
    'numbers.0': ['The number is on another open port order of the account.'],
  })
  assert.deepEqual(
    (await askedBy(account, [number])).nonportable.map((n) => n.code),
    ['number_on_other_order'],
  )
})

test('when two accounts sign for the same number, the second is refused without revealing why', async () => {
  const number = freshNumber()
  const [first, second] = await Promise.all(
    [account, other].map((a) => newOrder(a, { numbers: [freshNumber(), number] })),
  )
  assert.ok(first && second)
  await sign(account, first.id)
  const errors = await fieldErrors(sign(other, second.id))
  const [message = ''] = errors['numbers.0'] ?? []
  assert.deepEqual(errors, { 'numbers.0': ['The number cannot be ordered now. If it is yours, contact support.'] })
  assert.equal(
    (await other.client.getPortOrder({ params: { portorder_id: second.id } })).body.data.attributes.status,
    'Pending',
  )

  // the same text and code as for a number in service on another account
  const in_service = '+12065559876'
  await server.operator.addNumbers({
    params: { account_id: account.id },
    body: { numbers: [{ value: in_service.slice(1), number_type: 'longcode' }] },
  })
  const third = await newAccount('Third')
  const { nonportable } = await askedBy(third, [number, in_service])
  assert.deepEqual(
    nonportable.map(({ code, reason }) => [code, reason]),
    [1, 2].map(() => ['number_not_portable', message]),
  )
  assert.deepEqual(await fieldErrors(newOrder(third, { numbers: [number, in_service] })), {
    'numbers.0': [message],
    'numbers.1': [message],
  })
  const { id } = await newOrder(third)
  assert.deepEqual(
    await fieldErrors(
      third.client.changePortOrderNumbers({ params: { portorder_id: id }, body: { add: [number, in_service] } }),
    ),
    { 'add.0': [message], 'add.1': [message] },
  )
  // the account that has them, and the operator, see what it is
  const own = (await askedBy(account, [number, in_service])).nonportable.map((n) => n.reason)
  assert.deepEqual(own, [
    'The number is on another open port order of the account.',
    'The number is already on the account.',
  ])
  assert.deepEqual(
    (await askedBy({ client: server.operator }, [number, in_service])).nonportable.map((n) => n.reason),
    own,
  )
})

test('if two accounts sign for the same number concurrently, one succeeds, in any order of their numbers', async () => {
  const numbers = Array.from({ length: 10 }, () => freshNumber())
  const accounts = await Promise.all(['A', 'B', 'C'].map(newAccount))
  const orders = await Promise.all(
    accounts.map(async (a, i) => {
      const { id } = await newOrder(a, { numbers: i === 1 ? numbers.toReversed() : numbers })
      const { body } = await a.client.getLoa({ params: { portorder_id: id } })
      const attributes = { ...body.data.attributes, signature_name: 'Anna Berg', signature_title: 'Owner' }
      return { a, id, form: { data: { ...body.data, attributes } } }
    }),
  )
  const before = await storedFiles(server)
  const outcomes = await Promise.allSettled(
    orders.map(({ a, id, form }) => a.client.submitLoa({ params: { portorder_id: id }, body: form })),
  )
  assert.equal(outcomes.filter((o) => o.status === 'fulfilled').length, 1)
  assert.equal((await storedFiles(server)).length, before.length + 1, 'the LOAs of the refused ones are gone')
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') {
      const { status, errors } = outcome.reason as { status: number; errors: { detail: Record<string, string[]> }[] }
      assert.equal(status, 422)
      assert.deepEqual(
        Object.keys(errors[0]?.detail ?? {}),
        numbers.map((_, i) => `numbers.${i}`),
      )
    }
})

test('a final order releases its numbers, so that another account can sign for them', async () => {
  const number = freshNumber()
  const mine = await newOrder(account, { numbers: [number] })
  const theirs = await newOrder(other, { numbers: [number] })
  await sign(account, mine.id)
  await transition(mine.id, 'Submitted')
  await fieldErrors(sign(other, theirs.id))
  await transition(mine.id, 'Hard_canceled')
  assert.equal((await sign(other, theirs.id)).attributes.status, 'Processing')
})

test('the number of unsigned numbers of an account is limited, also with concurrent requests', async () => {
  const limited = await newAccount('Limited')
  const some = (count: number) => Array.from({ length: count }, () => freshNumber())
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => newOrder(limited, { numbers: some(10) })))
  const orders = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []))
  assert.equal(orders.length, unsigned_max / 10)
  const error = (count: number) =>
    `An account can have at most ${unsigned_max} numbers on unsigned orders. This request would make it ${count}. Sign or cancel other orders first.`
  const body = orderBody({ numbers: some(1), alias: 'x'.repeat(101) })
  assert.deepEqual(await fieldErrors(limited.client.createPortOrder({ body })), {
    alias: ['At most 100 characters.'],
    numbers: [error(unsigned_max + 1)],
  })
  const [first, second] = orders
  assert.ok(first && second)
  const change = (id: string, changes: { add?: string[]; remove?: string[] }) =>
    limited.client.changePortOrderNumbers({ params: { portorder_id: id }, body: changes })
  assert.deepEqual(await fieldErrors(change(first.id, { add: some(2) })), { add: [error(unsigned_max + 2)] })
  const [leaving = ''] = first.attributes.numbers
  await change(first.id, { add: some(1), remove: [leaving] })
  await sign(limited, second.id)
  await newOrder(limited, { ...details, numbers: some(10) })
})
