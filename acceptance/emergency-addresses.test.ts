import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DemarcError, type e911 } from '@demarc/client'
import { run } from './support/cast.ts'
import { openService } from './support/service.ts'

/** Validation of emergency addresses, over HTTP alone. */

const service = await openService()
after(() => service.stop())
const { account, operator } = service

type Attributes = Record<string, unknown>
/** Many inputs are invalid, and the client's types would reject them. */
const asAddress = (attributes: Attributes) => attributes as e911.E911Input

const friendship = (street_number: string, street_name: string, other: Attributes = {}): Attributes => ({
  label: `Office ${run}`,
  first_name: 'Rosa',
  last_name: 'Diaz',
  street_number,
  street_name,
  city: 'Friendship',
  state: 'WI',
  country: 'US',
  zip: '53934',
  ...other,
})
const suite = { address_type: 'Suite', address_type_number: `${run}E` }

interface Validation {
  status: number
  errors: DemarcError['errors']
}

async function validate(attributes: Attributes): Promise<Validation> {
  try {
    const { status } = await account.validateE911({
      body: { data: { type: 'e911', attributes: asAddress(attributes) } },
    })
    return { status, errors: [] }
  } catch (error) {
    if (error instanceof DemarcError) return { status: error.status, errors: error.errors }
    throw error
  }
}

/** The corrections in a response. */
const corrections = ({ errors }: Validation) =>
  errors.flatMap(({ title, detail }) => (title === 'Address Correction Required' ? [detail as Attributes] : []))

test('an address is valid, correctable, ambiguous, unknown, malformed, or a duplicate', async () => {
  assert.equal((await validate(friendship('100', 'N Main St'))).status, 204)

  const correctable = await validate(friendship('200', 'Ceder St'))
  assert.deepEqual([correctable.status, corrections(correctable).map((one) => one['street_name'])], [422, ['CEDAR ST']])

  const ambiguous = await validate(friendship('100', 'Main St'))
  const both = corrections(ambiguous).map((one) => one['street_name'])
  assert.deepEqual([ambiguous.status, both], [422, ['N MAIN ST', 'S MAIN ST']])

  const unknown = await validate(friendship('98765', 'N Main St'))
  assert.deepEqual([unknown.status, unknown.errors[0]?.title], [400, 'Client Error'])

  const malformed = await validate(friendship('', 'N Main St Apt 4', { zip: '5393', planet: 'Mars' }))
  const fields = Object.keys(malformed.errors[0]?.detail ?? {}).toSorted()
  assert.deepEqual([malformed.status, fields], [422, ['planet', 'street_name', 'street_number', 'zip']])

  const body = { data: { type: 'e911', attributes: asAddress(friendship('100', 'N Main St', suite)) } }
  const created = (await account.createE911({ body })).body.data
  assert.equal(created.attributes.validation.level, 'address')
  const duplicate = await validate(friendship('100', 'north main street', { ...suite, label: `Other ${run}` }))
  assert.deepEqual(
    [duplicate.status, duplicate.errors[0]?.status, duplicate.errors[0]?.title],
    [422, 400, 'Client Error'],
  )
  await account.deleteE911({ params: { e911_id: created.id } })
  assert.equal((await validate(friendship('100', 'north main street', suite))).status, 204)
})

/** One field with a likely mistake. */
const mistakes: Attributes[] = [
  { street_name: 'N Mian St' },
  { street_name: 'N Main Ave' },
  { street_name: 'N Main' },
  { street_name: 'Main St N' },
  { street_name: 'Centre St', street_number: '300' },
  { street_name: 'Saint Claire Blvd', street_number: '102' },
  { street_name: 'Lake View Dr' },
  { street_name: 'Lakeview', street_number: '300' },
  { street_name: '1st Ave', street_number: '100' },
  { street_name: 'Ninth Ave West', street_number: '101' },
  { street_name: 'Grove Prak Ln', street_number: '100' },
  { city: 'Frendship' },
  { zip: '53943' },
  { state: 'MN' },
  { city: 'Adams' },
]

test('every corrected address is valid when sent back and has the same street number', async () => {
  let offered = 0
  for (const mistake of mistakes) {
    const sent = friendship('100', 'N Main St', mistake)
    for (const alternative of corrections(await validate(sent))) {
      offered++
      assert.equal(alternative['street_number'], sent['street_number'])
      assert.equal(
        (await validate(alternative)).status,
        204,
        `${JSON.stringify(mistake)} → ${JSON.stringify(alternative)}`,
      )
    }
  }
  assert.ok(offered >= mistakes.length / 2, `${offered} alternatives`)
})

const hostile = [
  '😀👩‍👩‍👧‍👦',
  'x'.repeat(10_000),
  'Ñ'.repeat(10_000),
  '\u0000',
  'N Main St\u0000',
  '\ud800',
  '\u202eteertS niaM',
  '%_%',
  "' or 1=1 --",
  "'; drop table e911_address; --",
  '$1',
  '{}',
  '{"a":1}',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  ']]><a/>',
  '../../etc/passwd',
  '(((((((((((((((((((((((((((((a+)+)+)+',
  '-- ½ ¼ Ⅷ ﷺ',
  'Main St\nX-Evil: 1',
  ' '.repeat(50),
  '|',
  'MAIN|ST||',
  '9'.repeat(400),
  '-1',
  '1e308',
  'NaN',
]
const not_texts: unknown[] = [0, -1, 1.5, 1e308, true, false, [], ['a'], {}, { toString: 1 }, null]

test('any value in any field is valid or a validation error, never a server error', async () => {
  const fields = Object.keys(friendship('1', 'x', suite))
  for (const field of fields)
    for (const value of [...hostile, ...not_texts]) {
      const { status, errors } = await validate(friendship('100', 'N Main St', { ...suite, [field]: value }))
      const what = `${field}: ${JSON.stringify(value).slice(0, 60)}`
      assert.ok([204, 400, 422].includes(status), `${what} gives ${status}`)
      assert.equal(errors.length > 0, status !== 204, what)
    }
})

/** Contradictory country, state, and code, or notations other than the contract's; each with its response. */
const cases: [Attributes, number, string][] = [
  [{ country: 'CA' }, 422, 'state,zip'],
  [{ state: 'wi' }, 422, 'state'],
  [{ country: 'us' }, 422, 'country'],
  [{ zip: '53934-1234' }, 204, ''],
  [{ zip: '5393' }, 422, 'zip'],
  [{ zip: 'K1A 0B1' }, 422, 'zip'],
  [{ city: 'Sutton', state: 'QC', country: 'CA', zip: 'j0e2k0', street_name: 'rue Principale Nord' }, 204, ''],
  [{ city: 'Sutton', state: 'QC', country: 'CA', zip: 'J0E  2K0', street_name: 'rue Principale Nord' }, 422, 'zip'],
  [{ city: 'Sutton', state: 'QC', country: 'CA', zip: 'D0E 2K0', street_name: 'rue Principale Nord' }, 422, 'zip'],
]

for (const [other, status, fields] of cases)
  test(`${JSON.stringify(other)} returns ${status}`, async () => {
    const result = await validate(friendship('100', 'N Main St', other))
    assert.equal(result.status, status)
    assert.equal(Object.keys(result.errors[0]?.detail ?? {}).join(), fields)
  })

test('a bulk validation’s result has the outcome and the corrections of each row', async () => {
  const rows = ['C-1,100,N Main St', 'C-2,200,Ceder St', 'C-3,98765,N Main St', 'C-4,12,PO Box 345', 'C-5,x,']
  const csv = `customer,street_number,street_name,city,state,country,zip\n${rows.map((row) => `${row},Friendship,WI,US,53934\n`).join('')}`
  const started = (await account.createE911Validation({ body: csv, content_type: 'text/csv' })).body.data
  let current = started
  while (current.attributes.status === 'processing') {
    await sleep(50)
    current = (await account.getE911Validation({ params: { validation_id: started.id } })).body.data
  }
  assert.deepEqual(current.attributes.verdicts, {
    valid: 1,
    correction: 1,
    not_geocodable: 2,
    invalid_input: 1,
    unavailable: 0,
  })
  const file = await (await fetch(current.attributes.download_url ?? '')).text()
  const outcomes = file
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => `${line.split(',')[0]} ${/valid|correction|not_geocodable|invalid_input/.exec(line)?.[0]}`)
  assert.deepEqual(outcomes, [
    'C-1 valid',
    'C-2 correction',
    'C-3 not_geocodable',
    'C-4 not_geocodable',
    'C-5 invalid_input',
  ])
})

test('addresses are validated against the street data that the operator loaded', async () => {
  const location = { city: 'Nowhere', state: 'OK', zip: '73038' }
  // as many houses as a town of this size has: a single row proves nothing about its neighbors
  const houses = Array.from({ length: 40 }, (_, street) =>
    Array.from(
      { length: 10 },
      (_, house) =>
        `US,OK,73038,Fort Cobb,Fort Cobb,${77 + 10 * house},${street === 0 ? `Acceptance ${run}` : `Neighbor ${street}`},Rd`,
    ),
  )
  const csv = `Country,State,Post_Code,Post_Comm,MSAGComm,Add_Number,St_Name,St_PosTyp\n${houses.flat().join('\n')}\n`
  const query = { name: `Acceptance ${run}`, vintage: '1', format: 'nena-ssap-csv', activate: 'true' } as const
  const { id } = (await operator.importE911Dataset({ query, body: csv, content_type: 'text/csv' })).body.data
  const at = { params: { dataset_id: id } }
  while ((await operator.getE911Dataset(at)).body.data.attributes.status === 'loading') await sleep(50)
  const address = friendship('77', `Acceptance ${run} Road`, { ...location, city: 'Fort Cobb' })
  assert.equal((await validate(address)).status, 204)
  const refused = await validate({ ...address, street_number: '78' })
  assert.deepEqual([refused.status, corrections(refused)[0]?.['street_number']], [422, '77'])
  await operator.deleteE911Dataset({ ...at, query: { force: 'true' } })
  assert.equal((await validate({ ...address, street_number: '78' })).status, 204, 'by its postal code alone')
})
