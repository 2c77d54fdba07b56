import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { canonicalKey, type Alternative, type CanonicalAddress } from '../address.ts'
import { addressOf } from '../testing/address.ts'
import { importText, openAddresses } from '../../street-data/testing/import.ts'
import { testDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { chainedValidator } from './chain.ts'
import { localValidator } from './local.ts'
import type { MinLevel } from './policy.ts'
import type { Outcome, Validator } from './validator.ts'
import { activeStreets } from '../../street-data/lookup-store.ts'

const ELEMENTS = { valid: [], invalid: [], unchecked: [] }
const COVERED = addressOf(100, 'Bay St', 'Hertford, NC 27944')
const ELSEWHERE = addressOf(100, 'Bay St', 'Raleigh, NC 27601')

let data: TestDatabase
before(async () => {
  data = await testDatabase()
  await importText(data.pool, 'openaddresses-csv', openAddresses('100 Bay St|Hertford|NC|27944'))
})

function remote(outcomeOf: (address: CanonicalAddress) => Outcome): Validator & { requests: number } {
  const validator = {
    name: 'remote',
    requests: 0,
    validate: async (address: CanonicalAddress) => {
      validator.requests++
      return outcomeOf(address)
    },
  }
  return validator
}

const accepting = (level: 'street' | 'range' | 'address') =>
  remote((address) => ({
    kind: 'ok',
    level,
    source: { name: 'remote', vintage: '' },
    elements: ELEMENTS,
    key: canonicalKey(address),
    community: '',
    esn: '',
    psap: '',
  }))
const unavailable = () => remote(() => ({ kind: 'unavailable', reason: 'down' }))

function chain(remotes: Validator[], min_level: MinLevel = 'auto'): Validator {
  return chainedValidator(
    localValidator({ streets: activeStreets(data.db), min_level, defers: true }),
    remotes,
    min_level,
  )
}

test('no remote validator is used where street data covers the address', async () => {
  const other = accepting('range')
  const outcome = await chain([other]).validate(COVERED)
  assert.equal(outcome.kind === 'ok' && outcome.source.name, 'Test')
  assert.equal(other.requests, 0)
})

test('the first available remote validator decides where no data covers the address', async () => {
  const [first, second] = [unavailable(), accepting('range')]
  const outcome = await chain([first, second, accepting('address')]).validate(ELSEWHERE)
  assert.equal(outcome.kind === 'ok' && outcome.level, 'range')
  assert.equal(first.requests, 1)
})

test('if none is available, the outcome of the postal data applies', async () => {
  const outcome = await chain([unavailable()]).validate(ELSEWHERE)
  assert.equal(outcome.kind === 'ok' && outcome.level, 'postal')
})

test('an outcome below the required level is a refusal', async () => {
  assert.equal((await chain([unavailable()], 'street').validate(ELSEWHERE)).kind, 'not_geocodable')
  assert.equal((await chain([accepting('range')], 'address').validate(ELSEWHERE)).kind, 'not_geocodable')
  assert.equal((await chain([accepting('range')], 'range').validate(ELSEWHERE)).kind, 'ok')
})

test('a refusal of a remote validator is final', async () => {
  const refusing = remote(() => ({ kind: 'not_geocodable', reason: 'no', elements: ELEMENTS }))
  assert.equal((await chain([refusing]).validate(ELSEWHERE)).kind, 'not_geocodable')
})

const proposal = (zip: string): Alternative => ({
  street_number: '100',
  street_name: 'BAY AVE',
  city: 'RALEIGH',
  state: 'NC',
  country: 'US',
  zip,
})

test('only alternatives of a remote validator that would be accepted are offered', async () => {
  const correcting = remote((address) =>
    address.street.key === 'BAY|AVE||'
      ? { kind: 'unavailable', reason: 'down' }
      : { kind: 'correct', alternatives: [proposal('27601'), proposal('59645')], elements: ELEMENTS },
  )
  const outcome = await chain([correcting]).validate(ELSEWHERE)
  assert.ok(outcome.kind === 'correct')
  assert.deepEqual(outcome.alternatives, [proposal('27601')])
})

test('the address is refused if no alternative would be accepted', async () => {
  const correcting = remote(() => ({ kind: 'correct', alternatives: [proposal('59645')], elements: ELEMENTS }))
  assert.equal((await chain([correcting]).validate(ELSEWHERE)).kind, 'not_geocodable')
})
