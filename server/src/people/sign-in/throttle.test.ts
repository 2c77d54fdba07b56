import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { openDatabase } from '../../platform/db.ts'
import { silentLog } from '../../platform/postgres/log.ts'
import { Problem } from '../../platform/problem.ts'
import { createVault } from '../../platform/secrets.ts'
import { attemptLimits, createThrottle, type Attempt } from './throttle.ts'

const { db, url } = await testDatabase()
const key = 'a key for tests, of no value outside them'
const vault = createVault({ pepper: key, seal_keys: [{ id: 'test', key }] })
beforeEach(() => sql`truncate window_count`.execute(db))

const given: Attempt = { who: 'mia@people.example', remote_ip: '203.0.113.7', device: null }
const isRefused = (error: unknown) => error instanceof Problem && error.type === 'rate-limited'

/** A throttle that counts failures until it refuses. */
function throttled() {
  const throttle = createThrottle({ db, vault })
  const fail = async (attempt: Partial<Attempt>, times: number) => {
    await Promise.all(Array.from({ length: times }, () => throttle.attempt({ ...given, ...attempt })))
  }
  const refuses = (attempt: Partial<Attempt>) => assert.rejects(throttle.attempt({ ...given, ...attempt }), isRefused)
  return { throttle, fail, refuses }
}

test('a refused attempt counts against no limit', async () => {
  const { fail, refuses } = throttled()
  await fail({}, attemptLimits.account_at_address.points)
  for (let i = 0; i < attemptLimits.account.points; i++) await refuses({})
  // neither the account nor the address is used up
  await fail({ remote_ip: '198.51.100.2' }, 1)
  const left = attemptLimits.address.points - attemptLimits.account_at_address.points
  for (let i = 0; i < left; i++) await fail({ who: `person-${i}@people.example` }, 1)
  await refuses({ who: 'one-more@people.example' })
})

test('an account guessed at from many addresses is limited, except for its known browsers', async () => {
  const { fail, refuses } = throttled()
  const { account, account_at_address: each } = attemptLimits
  for (let i = 0; i < account.points / each.points; i++) await fail({ remote_ip: `198.51.100.${i}` }, each.points)
  await refuses({ remote_ip: '192.0.2.1' })
  await refuses({ remote_ip: '192.0.2.1', who: ' MIA@people.example' })
  await fail({ remote_ip: '192.0.2.1', device: 'laptop' }, attemptLimits.device.points)
  await refuses({ remote_ip: '192.0.2.2', device: 'laptop' })
  await fail({ remote_ip: '192.0.2.2', device: 'phone' }, 1)
})

test('successes count nowhere', async () => {
  const { throttle } = throttled()
  for (let i = 0; i <= attemptLimits.account.points; i++) {
    const succeeded = await throttle.attempt(given)
    await succeeded()
  }
})

test('of concurrent attempts in two processes, exactly the limit passes, and none deadlocks', async (t) => {
  const throttles = [1, 2].map(() => {
    const database = openDatabase({ connection: url, log: silentLog })
    t.after(() => database.close())
    return createThrottle({ db: database.db, vault })
  })
  const { points } = attemptLimits.address
  const settled = await Promise.allSettled(
    Array.from({ length: 2 * points }, async (_, n) =>
      throttles[n % 2]?.attempt({ ...given, who: `person-${n % 20}@people.example`, device: n % 3 ? null : 'laptop' }),
    ),
  )
  const refused = settled.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, points)
  assert.ok(refused.every(({ reason }) => isRefused(reason)))
})
