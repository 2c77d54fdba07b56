import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startReceiver } from '../../test/support/receiver.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { deliveryLimits } from './rules.ts'
import { makeTurns } from './turns.ts'

describe('turns', () => {
  const limits = { ...deliveryLimits, per_account: 2, per_host: 3, wait_ms: 500, wait_gap_ms: 20 }
  const taken = (turn: ReturnType<ReturnType<typeof makeTurns>['take']>) =>
    'leave' in turn ? turn : assert.fail(`told to wait ${turn.wait_ms} ms`)

  test('are given to an account up to its limit, and again once one leaves', () => {
    const turns = makeTurns(limits)
    const first = taken(turns.take('1', 'http://a.example/', 0))
    taken(turns.take('1', 'http://b.example/', 0))
    assert.deepEqual(turns.take('1', 'http://c.example/', 0), { wait_ms: 500 })
    taken(turns.take('2', 'http://c.example/', 0))
    first.leave()
    first.leave()
    taken(turns.take('1', 'http://c.example/', 0))
    assert.ok('wait_ms' in turns.take('1', 'http://c.example/', 0), 'leaving twice frees one place')
  })

  test('are given to a host up to its limit, whoever asks', () => {
    const turns = makeTurns(limits)
    for (const account of ['1', '2', '3']) taken(turns.take(account, `https://shared.example/${account}`, 0))
    assert.ok('wait_ms' in turns.take('4', 'https://shared.example/4', 0))
    taken(turns.take('4', 'https://shared.example:8443/4', 0))
  })

  test('those that must wait come back one after another', () => {
    const turns = makeTurns(limits)
    for (const host of ['a', 'b']) taken(turns.take('1', `http://${host}.example/`, 0))
    const waits = [0, 1, 2].map(() => turns.take('1', 'http://c.example/', 1000))
    assert.deepEqual(waits, [{ wait_ms: 500 }, { wait_ms: 520 }, { wait_ms: 540 }])
    assert.deepEqual(turns.take('1', 'http://c.example/', 90_000), { wait_ms: 500 })
  })
})

describe('a receiver that hangs', () => {
  test('holds up its own account only; what waits for it is delivered once it answers', async () => {
    const receiver = await startReceiver()
    // a bound that all of them together would fill, were there no other
    const server = await startTestServer({
      worker: true,
      parts: { delivery: { at_once: 12, per_account: 4, per_host: 8, timeout_ms: 60_000, wait_ms: 50 } },
    })
    const hanging: (() => void)[] = []
    let hangs = true
    receiver.answer = ({ path }) =>
      hangs && path.startsWith('/hang') ? (response) => void hanging.push(() => response.writeHead(204).end()) : 204
    const tell = (of: TestAccount, path: string, host: string) =>
      inTransaction(server.db, (tx) =>
        recordEvent({ tx, actor: systemActor('test', of.id), clock: server.clock }, of.id, {
          type: 'thing.changed',
          subject_type: 'thing',
          subject_id: '7',
          notification: { url: receiver.url(path, host), document: {} },
        }),
      )
    for (let i = 0; i < 40; i++) await tell(server.account, `/hang-${i}`, '127.0.0.5')
    const started = () => receiver.arrivals.filter((a) => a.path.startsWith('/hang')).length
    while (started() < 4) await receiver.come(1, `/hang-${started()}`)

    for (let i = 0; i < 30; i++) await tell(server.other, `/other-${i}`, '127.0.0.6')
    for (let i = 0; i < 30; i++) await receiver.come(1, `/other-${i}`)
    assert.equal(started(), 4, 'its account’s share of the places and no more')

    hangs = false
    for (const answer of hanging) answer()
    for (let i = 0; i < 40; i++) assert.equal((await receiver.come(1, `/hang-${i}`)).length, 1)
  })
})
