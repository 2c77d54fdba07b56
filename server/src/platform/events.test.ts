import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { systemActor, type Actor } from './actor.ts'
import { inTransaction } from './db.ts'
import { deleteFirstEvents, listEvents, operatorChain, recordEvent, verifyChain, type NewEvent } from './events.ts'

const { db } = await testDatabase()
const now = new Date('2026-03-01T12:00:00.123Z')
const clock = { now: () => now }
const actor: Actor = { kind: 'account', account_id: '7', key_id: '1', access_key: 'akTest', scopes: [] }

let chains = 100
/** A new chain with this many events. */
async function chainOf(events: number): Promise<string> {
  const chain = String(++chains)
  for (let i = 1; i <= events; i++) await record(chain, { data: { i } })
  return chain
}

const record = (chain: string | null, event: Partial<NewEvent> = {}) =>
  inTransaction(db, (tx) =>
    recordEvent({ tx, actor, clock }, chain, {
      type: 'thing.changed',
      subject_type: 'thing',
      subject_id: '7',
      ...event,
    }),
  )

/** Runs a statement on a chain's events, as anyone with the database password could. */
const tamper = (statement: string, chain: string) => sql.raw(statement.replaceAll('$chain', chain)).execute(db)

test('events of an account are numbered from one without gaps', async () => {
  const chain = await chainOf(5)
  const events = await listEvents(db, { chain_id: chain, limit: 10, offset: 0 })
  assert.deepEqual(
    events.map((e) => e.sequence),
    ['5', '4', '3', '2', '1'],
  )
  const [last] = events
  assert.deepEqual(
    [last?.type, last?.actor, last?.subject_type, last?.subject_id, last?.data, last?.occurred_at],
    ['thing.changed', 'key:akTest', 'thing', '7', { i: 5 }, now],
  )
})

test('events without an account are in the operator’s own chain', async () => {
  const { sequence } = await record(null)
  const [last] = await listEvents(db, { chain_id: operatorChain, limit: 1, offset: 0 })
  assert.equal(last?.sequence, sequence)
})

test('an unchanged chain is intact, its head the last hash', async () => {
  const chain = await chainOf(20)
  const [last] = await listEvents(db, { chain_id: chain, limit: 1, offset: 0 })
  assert.deepEqual(await verifyChain(db, chain), {
    intact: true,
    events: 20,
    deleted: 0,
    erased: 0,
    first_at: last?.occurred_at,
    last_at: last?.occurred_at,
    head: last?.hash.toString('hex'),
    broken_at: null,
  })
  const none = {
    intact: true,
    events: 0,
    deleted: 0,
    erased: 0,
    first_at: null,
    last_at: null,
    head: '',
    broken_at: null,
  }
  assert.deepEqual(await verifyChain(db, '999999'), none)
})

test('concurrent writers make one chain', async () => {
  const chain = await chainOf(0)
  const writers = Array.from({ length: 100 }, (_, i) =>
    inTransaction(db, async (tx) => {
      const event = { type: 'thing.changed', subject_type: 'thing', subject_id: String(i) }
      await recordEvent({ tx, actor: systemActor('test', chain), clock }, chain, event)
      if (i % 7 === 0) throw new Error('changed my mind')
    }).catch((error: Error) => error.message),
  )
  const failed = (await Promise.all(writers)).filter((message) => message === 'changed my mind').length
  assert.equal(failed, 15)
  const { intact, events } = await verifyChain(db, chain)
  assert.deepEqual([intact, events], [true, 85])
  const rows = await listEvents(db, { chain_id: chain, limit: 200, offset: 0 })
  assert.deepEqual(
    rows.map((r) => Number(r.sequence)),
    Array.from({ length: 85 }, (_, i) => 85 - i),
  )
})

test('an event of a rolled-back transaction is not recorded', async () => {
  const chain = await chainOf(2)
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await recordEvent({ tx, actor, clock }, chain, { type: 'thing.gone', subject_type: 'thing', subject_id: '1' })
      throw new Error('no')
    }),
  )
  await record(chain)
  const { intact, events } = await verifyChain(db, chain)
  assert.deepEqual([intact, events], [true, 3])
  assert.deepEqual(await listEvents(db, { chain_id: chain, type: 'thing.gone', limit: 1, offset: 0 }), [])
})

test('verification reports where a change, deletion, or insertion happened', async () => {
  const edits: [string, number][] = [
    [`update event set data = '{"i":77}' where chain_id = $chain and sequence = 4`, 4],
    [`update event set data = '{"i": 4}' where chain_id = $chain and sequence = 4`, 4],
    [`update event set actor = 'key:akOther' where chain_id = $chain and sequence = 1`, 1],
    [`update event set occurred_at = occurred_at + interval '1 ms' where chain_id = $chain and sequence = 8`, 8],
    [`update event set type = 'thing.other' where chain_id = $chain and sequence = 3`, 3],
    [`update event set subject_type = 'thin', subject_id = 'g7' where chain_id = $chain and sequence = 3`, 3],
    [
      `update event set notification = '{"url":"https://elsewhere.example"}' where chain_id = $chain and sequence = 5`,
      5,
    ],
    [`update event set hash = sha256('x') where chain_id = $chain and sequence = 6`, 6],
    // an erased event has no details, and its hash stays
    [`update event set salt = null where chain_id = $chain and sequence = 6`, 6],
    [`update event set salt = null, data = '{"i":7}' where chain_id = $chain and sequence = 6`, 6],
    [
      `update event set salt = null, data = '{}', content_hash = sha256('x') where chain_id = $chain and sequence = 6`,
      6,
    ],
    // more, or fewer, than what was deleted by retention
    [`delete from event where chain_id = $chain and sequence < 3`, 3],
    [`update event_chain set deleted_sequence = 2 where chain_id = $chain`, 1],
    [
      `with cut as (delete from event where chain_id = $chain and sequence <= 3)
       update event_chain set deleted_sequence = 2, deleted_head = (select hash from event where chain_id = $chain and sequence = 2) where chain_id = $chain`,
      4,
    ],
    [`delete from event where chain_id = $chain and sequence = 4`, 5],
    [`delete from event where chain_id = $chain and sequence = 1`, 2],
    [`delete from event where chain_id = $chain and sequence = 8`, 8],
    [`delete from event where chain_id = $chain and sequence > 5`, 6],
    [`delete from event where chain_id = $chain`, 1],
    [`update event_chain set sequence = 7 where chain_id = $chain`, 9],
    [`delete from event_chain where chain_id = $chain`, 9],
    // truncated so that the rest is consistent: only the head stored in event_chain differs
    [
      `with cut as (delete from event where chain_id = $chain and sequence > 6) update event_chain set sequence = 6 where chain_id = $chain`,
      7,
    ],
    [
      `insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash)
       select chain_id, 9, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash from event where chain_id = $chain and sequence = 8`,
      9,
    ],
    // renumbered after a deletion
    [
      `with gone as (delete from event where chain_id = $chain and sequence = 8)
       update event_chain set sequence = 7, head = (select hash from event where chain_id = $chain and sequence = 6) where chain_id = $chain`,
      8,
    ],
  ]
  for (const [statement, broken_at] of edits) {
    const chain = await chainOf(8)
    await tamper(statement, chain)
    // at once, and in slices whose ends are among the changed events
    for (const at_once of [1000, 4, 1]) {
      const result = await verifyChain(db, chain, at_once)
      assert.deepEqual([result.intact, result.broken_at], [false, broken_at], `${statement}, ${at_once} at once`)
    }
  }
})

test('verifying a chain in slices gives the same result as all at once', async () => {
  const chain = await chainOf(9)
  const all = await verifyChain(db, chain)
  assert.equal(all.intact, true)
  for (const at_once of [1, 2, 3, 9, 10]) assert.deepEqual(await verifyChain(db, chain, at_once), all)
})

test('a chain without its first events, or without details, is intact and says so', async () => {
  const chain = await chainOf(9)
  const before = await verifyChain(db, chain)
  await tamper(
    `update event set data = '{}', notification = null, salt = null where chain_id = $chain and sequence in (2, 6)`,
    chain,
  )
  assert.deepEqual(await verifyChain(db, chain), { ...before, erased: 2 })
  await inTransaction(db, (tx) => deleteFirstEvents(tx, chain, '4'))
  for (const at_once of [1000, 2, 1])
    assert.partialDeepStrictEqual(await verifyChain(db, chain, at_once), {
      intact: true,
      events: 5,
      deleted: 4,
      erased: 1,
    })
  await inTransaction(db, (tx) => deleteFirstEvents(tx, chain, '9'))
  assert.partialDeepStrictEqual(await verifyChain(db, chain), {
    intact: true,
    events: 0,
    deleted: 9,
    head: before.head,
  })
  await record(chain)
  assert.partialDeepStrictEqual(await verifyChain(db, chain), { intact: true, events: 1, deleted: 9 })
})

test('the first of two swapped events is reported', async () => {
  const chain = await chainOf(5)
  await tamper('update event set sequence = sequence + 100 where chain_id = $chain and sequence in (2, 3)', chain)
  await tamper('update event set sequence = 105 - sequence where chain_id = $chain and sequence in (102, 103)', chain)
  assert.equal((await verifyChain(db, chain)).broken_at, 2)
})

test('text cannot be moved from one field to the next unnoticed', async () => {
  const chain = await chainOf(0)
  await record(chain, { subject_type: 'a\nb', subject_id: 'c' })
  await tamper(`update event set subject_type = 'a', subject_id = E'b\\nc' where chain_id = $chain`, chain)
  assert.equal((await verifyChain(db, chain)).broken_at, 1)
})

test('a change in the chain of one account does not break that of another', async () => {
  const [one, two] = [await chainOf(3), await chainOf(3)]
  await tamper(`update event set actor = 'x' where chain_id = $chain`, one)
  assert.deepEqual([(await verifyChain(db, one)).intact, (await verifyChain(db, two)).intact], [false, true])
})

test('events are found by account, type and subject, newest first', async () => {
  const chain = await chainOf(0)
  for (let i = 0; i < 6; i++)
    await record(chain, { type: i % 2 ? 'thing.made' : 'thing.gone', subject_type: 'kind', subject_id: String(i % 3) })
  const found = async (filter: object) =>
    (await listEvents(db, { chain_id: chain, limit: 10, offset: 0, ...filter })).map((e) => Number(e.sequence))
  assert.deepEqual(await found({}), [6, 5, 4, 3, 2, 1])
  assert.deepEqual(await found({ type: 'thing.made' }), [6, 4, 2])
  assert.deepEqual(await found({ subject_type: 'kind', subject_id: '0' }), [4, 1])
  assert.deepEqual(await found({ type: 'thing.made', subject_id: '0' }), [4])
  assert.deepEqual(await found({ subject_type: 'other' }), [])
  assert.deepEqual(await found({ limit: 2, offset: 1 }), [5, 4])
})

test('an event with a notification enqueues its delivery in the same transaction', async () => {
  const chain = await chainOf(0)
  const notification = { url: 'https://receiver.example/', document: { data: { id: '7' } } }
  const { id } = await record(chain, { notification })
  const jobs = () => db.selectFrom('job').select(['kind', 'key']).where('kind', '=', 'notify').execute()
  assert.deepEqual(await jobs(), [{ kind: 'notify', key: id }])
  await record(chain)
  assert.equal((await jobs()).length, 1)
})
