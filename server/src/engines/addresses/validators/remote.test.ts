import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CanonicalAddress } from '../address.ts'
import { addressOf } from '../testing/address.ts'
import { remoteValidator } from './remote.ts'
import type { Outcome } from './validator.ts'

const ELEMENTS = { valid: [], invalid: [], unchecked: [] }
const REFUSED: Outcome = { kind: 'not_geocodable', reason: 'no', elements: ELEMENTS }
const HOUR = 3_600_000
const at = (n: number) => addressOf(n, 'Main St', 'Hertford, NC 27944')

/** A validator with a fake server and a fake clock. */
function remote(outcomeOf: (address: CanonicalAddress) => Outcome) {
  const requests: string[] = []
  const time = { now: 0 }
  const validator = remoteValidator({
    name: 'remote',
    now: () => time.now,
    covers: () => true,
    request: async (address) => {
      requests.push(address.number.text)
      return outcomeOf(address)
    },
  })
  return { validator, requests, time }
}

const failing = () => {
  throw new Error('connection refused')
}

test('an outcome is cached for a day, by the canonical key of the address', async () => {
  const { validator, requests, time } = remote(() => REFUSED)
  await validator.validate(at(1))
  await validator.validate(addressOf(1, 'MAIN STREET', 'Hertford, NC 27944'))
  assert.equal(requests.length, 1)
  time.now = 25 * HOUR
  await validator.validate(at(1))
  assert.equal(requests.length, 2)
})

test('a failure is not cached and does not reject', async () => {
  const { validator, requests } = remote(failing)
  const outcome = await validator.validate(at(1))
  assert.deepEqual(outcome, { kind: 'unavailable', reason: 'remote: connection refused' })
  await validator.validate(at(1))
  assert.equal(requests.length, 2)
})

test('after five failures no request is sent for a while, then a single one', async () => {
  let down = true
  const { validator, requests, time } = remote(() => (down ? failing() : REFUSED))
  for (let n = 1; n <= 7; n++) assert.equal((await validator.validate(at(n))).kind, 'unavailable')
  assert.equal(requests.length, 5)
  time.now = 31_000
  await Promise.all([validator.validate(at(8)), validator.validate(at(9))])
  assert.equal(requests.length, 6)
  time.now = 62_000
  down = false
  assert.equal((await validator.validate(at(10))).kind, 'not_geocodable')
  assert.equal((await validator.validate(at(11))).kind, 'not_geocodable')
})

test('cached outcomes are returned while the server is down', async () => {
  let down = false
  const { validator } = remote(() => (down ? failing() : REFUSED))
  await validator.validate(at(1))
  down = true
  for (let n = 2; n <= 8; n++) await validator.validate(at(n))
  assert.equal((await validator.validate(at(1))).kind, 'not_geocodable')
})

test('an alternative of the server is accepted without another request', async () => {
  const alternative = {
    street_number: '1',
    street_name: 'MAIN AVE',
    city: 'HERTFORD',
    state: 'NC',
    country: 'US',
    zip: '27944',
  } as const
  const { validator, requests } = remote(() => ({ kind: 'correct', alternatives: [alternative], elements: ELEMENTS }))
  await validator.validate(at(1))
  const outcome = await validator.validate(addressOf(1, 'Main Ave', 'Hertford, NC 27944'))
  assert.equal(outcome.kind === 'ok' && outcome.level, 'street')
  assert.equal(requests.length, 1)
})
