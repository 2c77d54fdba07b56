import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { listen, type ListenOptions } from './listen.ts'
import { silentLog } from './log.ts'

const { pool, url } = await testDatabase(undefined, { migrated: false })

const notify = (channel: string, payload: string) => pool.query('select pg_notify($1, $2)', [channel, payload])

/** A listener whose callbacks are recorded as events: `up`, `down`, `notified` with channel and payload. */
function start(channels: string[], options: Partial<ListenOptions> & { connection?: string } = {}) {
  const events = new EventEmitter()
  const listener = listen(options.connection ?? url, channels, (...notified) => events.emit('notified', ...notified), {
    onUp: () => events.emit('up'),
    onDown: () => events.emit('down'),
    log: silentLog,
    notify,
    ...options,
  })
  return { events, listener }
}

test('once up, a listener receives only notifications on its channels', async (t) => {
  const { events, listener } = start(['keys', 'Odd "name"'])
  t.after(listener.close)
  assert.equal(listener.isUp(), false)
  await once(events, 'up')
  assert.equal(listener.isUp(), true)
  await pool.query(`notify other, 'x'`)
  const first = once(events, 'notified')
  await pool.query(`notify keys, '42'`)
  assert.deepEqual(await first, ['keys', '42'])
  const second = once(events, 'notified')
  await pool.query(`notify "Odd ""name"""`)
  assert.deepEqual(await second, ['Odd "name"', ''])
})

test('a lost connection is reported and replaced, and the recovery is reported', async (t) => {
  const { events, listener } = start(['routes'], { application_name: 'to be cut off' })
  t.after(listener.close)
  await once(events, 'up')
  for (let round = 0; round < 2; round += 1) {
    const down = once(events, 'down')
    const up = once(events, 'up')
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to be cut off'`)
    await down
    assert.equal(listener.isUp(), false)
    await up
    const notified = once(events, 'notified')
    await pool.query(`notify routes, 'again'`)
    assert.deepEqual(await notified, ['routes', 'again'])
  }
})

test('a handler that throws is logged, and the next notification is received', async (t) => {
  const errors: string[] = []
  const log = { ...silentLog, error: (_: object, message: string) => void errors.push(message) }
  const events = new EventEmitter()
  const listener = listen(
    url,
    ['keys'],
    (_, payload) => {
      if (payload === 'bad') throw new Error('cannot read that')
      events.emit('notified', payload)
    },
    { onUp: () => events.emit('up'), log, notify },
  )
  t.after(listener.close)
  await once(events, 'up')
  const notified = once(events, 'notified')
  await pool.query(`notify keys, 'bad'`)
  await pool.query(`notify keys, 'good'`)
  assert.deepEqual(await notified, ['good'])
  assert.deepEqual(errors, ['a notification handler failed'])
})

test('a closed listener leaves no connection and does not call onDown', async () => {
  const { events, listener } = start(['keys'], { application_name: 'to be closed' })
  events.on('down', () => assert.fail('closing is not a loss'))
  await once(events, 'up')
  await listener.close()
  await listener.close()
  assert.equal(listener.isUp(), false)
  // The server ends a connection a moment after it is closed.
  let left: number | null
  do {
    left = (await pool.query(`select from pg_stat_activity where application_name = 'to be closed'`)).rowCount
  } while (left !== 0)
})

test('without a server, a listener stays down and can be closed', async () => {
  const { events, listener } = start(['keys'], { connection: 'postgresql://nobody@%2Fnonexistent/none' })
  events.on('up', () => assert.fail('there is no server'))
  events.on('down', () => assert.fail('it was never up'))
  await listener.close()
  assert.equal(listener.isUp(), false)
})

test('an unresponsive server counts as silent until it responds, and the listener stays down meanwhile', async (t) => {
  const proxy = await startTcpProxy(url)
  const { events, listener } = start(['keys'], {
    connection: proxy.url,
    heartbeat_ms: 20,
    silence_ms: 100,
    onSilence: (silent) => events.emit(silent ? 'silent' : 'responding'),
  })
  t.after(listener.close)
  await once(events, 'up')
  const silent = once(events, 'silent')
  const down = once(events, 'down')
  proxy.mute(true)
  await Promise.all([silent, down])
  assert.equal(listener.isUp(), false)
  const responding = once(events, 'responding')
  const up = once(events, 'up')
  proxy.mute(false)
  await Promise.all([responding, up])
})

test('a refusal does not count as silence', async (t) => {
  const { events, listener } = start(['keys'], {
    connection: 'postgresql://nobody@%2Fnonexistent/none',
    silence_ms: 10,
    onSilence: () => assert.fail('it responds, by refusing'),
    log: { ...silentLog, warn: () => void events.emit('refused') },
  })
  t.after(listener.close)
  await once(events, 'refused')
  await once(events, 'refused')
})
