import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CanonicalAddress } from '../../server/src/engines/addresses/address.ts'
import type { Accepted, Outcome, Validator } from '../../server/src/engines/addresses/validators/validator.ts'
import { Random } from './random.ts'
import type { TrueAddress } from './sample.ts'
import { closure, runTrials, type TrialName } from './trials.ts'

const TRUTH: TrueAddress = {
  country: 'US',
  state: 'NC',
  zip: '27944',
  city: 'HERTFORD',
  street: 'N MALLOW ST',
  number: 100,
  own_zip: true,
}

const accepted = (level: Accepted['level'], key: string): Outcome => ({
  kind: 'ok',
  level,
  key,
  source: { name: '', vintage: '' },
  elements: { valid: [], invalid: [], unchecked: [] },
  community: '',
  esn: '',
  psap: '',
})

function run(name: TrialName, outcomeOf: (address: CanonicalAddress) => Outcome, closed = closure()) {
  const validator: Validator = { name: 'fake', validate: (address) => Promise.resolve(outcomeOf(address)) }
  return runTrials(name, [TRUTH], validator, new Random(1), closed)
}

const OWN_KEY = '100|MALLOW|ST|N||HERTFORD|NC|27944'

test('a correct address counts only when its own street is accepted, and not only by its postal code', async () => {
  assert.equal((await run('correct address', () => accepted('range', OWN_KEY.replace('N|', '||')))).good, 0)
  assert.equal((await run('correct address', () => accepted('postal', OWN_KEY))).good, 0)
})

test('an error that results in another address of the data is counted separately', async () => {
  const { trials, another } = await run('wrong suffix', () => accepted('range', 'some other'))
  assert.deepEqual({ trials, another }, { trials: 0, another: 1 })
  assert.equal((await run('wrong suffix', () => accepted('street', 'some other'))).trials, 1)
})

test('an alternative with another house number than the sent one is reported', async () => {
  const closed = closure()
  const alternative = {
    street_number: '102',
    street_name: 'N MALLOW ST',
    city: 'HERTFORD',
    state: 'NC',
    country: 'US',
    zip: '27944',
  } as const
  const elements = { valid: [], invalid: [], unchecked: [] }
  await run('wrong suffix', () => ({ kind: 'correct', alternatives: [alternative], elements }), closed)
  assert.equal(closed.invented.length, 1)
  assert.equal(closed.refused.length, 1)
})
