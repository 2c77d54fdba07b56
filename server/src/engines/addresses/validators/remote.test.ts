import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CanonicalAddress } from '../address.ts'
import { addressOf } from '../testing/address.ts'
import { remoteValidator } from './remote.ts'
import type { Outcome } from './validator.ts'

const ELEMENTS = { valid: [], invalid: [], unchecked: [] }
const REFUSED: Outcome = { kind: 'not_geocodable', why: 'no', elements: ELEMENTS }
const HOUR = 3_600_000
const at = (n: number) => addressOf(n, 'Main St', 'Hertford, NC 27944')

/** A validator over a stand-in for the server, with a clock in the test's hands. */
function remote(answer: (address: CanonicalAddress) => Outcome) {
  const asked: string[] = []
  const time = { now: 0 }
  const validator = remoteValidator({
    name: 'remote',
    now: () => time.now,
    covers: () => true,
    ask: async (address) => {
      asked.push(address.number.text)
      return answer(address)
    },
  })
  return { validator, asked, time }
}

const failing = () => {
  throw new Error('connection refused')
}

test('an answer is kept for a day, for the place and not for its spelling', async () => {
  const { validator, asked, time } = remote(() => REFUSED)
  await validator.validate(at(1))
  await validator.validate(addressOf(1, 'MAIN STREET', 'Hertford, NC 27944'))
  assert.equal(asked.length, 1)
  time.now = 25 * HOUR
  await validator.validate(at(1))
  assert.equal(asked.length, 2)
})

test('a failure is not kept and not thrown', async () => {
  const { validator, asked } = remote(failing)
  const outcome = await validator.validate(at(1))
  assert.deepEqual(outcome, { kind: 'unavailable', why: 'remote: connection refused' })
  await validator.validate(at(1))
  assert.equal(asked.length, 2)
})

test('after five failures the server is left alone, then tried with one question', async () => {
  let down = true
  const { validator, asked, time } = remote(() => (down ? failing() : REFUSED))
  for (let n = 1; n <= 7; n++) assert.equal((await validator.validate(at(n))).kind, 'unavailable')
  assert.equal(asked.length, 5)
  time.now = 31_000
  await Promise.all([validator.validate(at(8)), validator.validate(at(9))])
  assert.equal(asked.length, 6)
  time.now = 62_000
  down = false
  assert.equal((await validator.validate(at(10))).kind, 'not_geocodable')
  assert.equal((await validator.validate(at(11))).kind, 'not_geocodable')
})

test('what is kept is answered while the server is down', async () => {
  let down = false
  const { validator } = remote(() => (down ? failing() : REFUSED))
  await validator.validate(at(1))
  down = true
  for (let n = 2; n <= 8; n++) await validator.validate(at(n))
  assert.equal((await validator.validate(at(1))).kind, 'not_geocodable')
})

test('an alternative that the server named is accepted without asking again', async () => {
  const alternative = {
    street_number: '1',
    street_name: 'MAIN AVE',
    city: 'HERTFORD',
    state: 'NC',
    country: 'US',
    zip: '27944',
  } as const
  const { validator, asked } = remote(() => ({ kind: 'correct', alternatives: [alternative], elements: ELEMENTS }))
  await validator.validate(at(1))
  const outcome = await validator.validate(addressOf(1, 'Main Ave', 'Hertford, NC 27944'))
  assert.equal(outcome.kind === 'ok' && outcome.level, 'street')
  assert.equal(asked.length, 1)
})
