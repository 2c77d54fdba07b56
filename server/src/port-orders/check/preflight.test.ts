import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noFacts } from '../portability.ts'
import type { NumberFacts } from '../portability.ts'
import { preflightCheck } from '../preflight.ts'
import type { CheckedOrder, CheckContext } from './finding.ts'
import { business, daysAgo, validOrder, checkContext } from './testing/order.ts'

/** Valid orders: a finding on one of them is a false positive. */
const valid: [what: string, change: Partial<CheckedOrder>][] = [
  ['a private line', {}],
  ['a business', business],
  ['a company without a legal form', { ...business, company: 'Zoë & Núñez' }],
  ['one number', { numbers: ['+12065550100'] }],
  ['no main number', { billing_number: '' }],
  ['several area codes of a state', { numbers: ['+12065550100', '+15095550100', '+13605550100'] }],
  ['toll-free numbers only', { numbers: ['+18885550100', '+18005550101'], billing_number: '' }],
  ['a date', { desired_completion_date: '2025-06-20' }],
  ['the last possible date', { desired_completion_date: '2025-07-02' }],
  ['the first possible date of one number', { numbers: ['+12065550100'], desired_completion_date: '2025-06-03' }],
  ['a PIN', { pin: '4711' }],
  ['a long PIN with letters', { pin: 'AbC123456789xyz' }],
  ['a mobile number with its PIN', { provider: 'T-Mobile', pin: '123456' }],
  ['social security digits', { last_4_ssn: '0042' }],
  ['a long ZIP code', { zip: '98101-1234' }],
  ['a second line', { street2: 'Apt 4' }],
  ['a fraction', { street: '12 1/2 Main St' }],
  [
    'a hyphened house number',
    {
      street: '87-15 115th Street',
      city: 'Queens',
      state: 'NY',
      zip: '11418',
      numbers: ['+17185550100'],
      billing_number: '',
    },
  ],
  ['a street that sounds like a box', { street: '5 Poboxton Road' }],
  ['Box as a name', { street: '17 Box Elder Lane' }],
  ['a name with an accent, an apostrophe and a hyphen', { billing_name: "Zoë O'Núñez-Żółć" }],
  ['two people', { billing_name: 'Anna & Peter Berg' }],
  ['a junior', { billing_name: 'Peter Berg Jr.' }],
  ['a long name', { billing_name: 'María José de la Cruz y Ortega' }],
  [
    'Canada',
    {
      numbers: ['+14165550100'],
      billing_number: '',
      street: '290 Bremner Blvd',
      city: 'Toronto',
      state: 'ON',
      zip: 'M5V 3L9',
      country: 'CA',
    },
  ],
  [
    'a province with a shared area code',
    {
      numbers: ['+19025550100'],
      billing_number: '',
      city: 'Charlottetown',
      state: 'PE',
      zip: 'C1A 1A1',
      country: 'CA',
    },
  ],
  [
    'Nunavut',
    { numbers: ['+18675550100'], billing_number: '', city: 'Iqaluit', state: 'NU', zip: 'X0A 0H0', country: 'CA' },
  ],
  ['Puerto Rico', { numbers: ['+17875550100'], billing_number: '', city: 'San Juan', state: 'PR', zip: '00901' }],
  [
    'an old town of Massachusetts',
    { numbers: ['+16175550100'], billing_number: '', city: 'Boston', state: 'MA', zip: '02108' },
  ],
  ['a fresh LOA', { loa_signed_at: daysAgo(25) }],
  [
    'a second document that failed',
    {
      documents: [
        { filename: 'a.pdf', status: 'failed' },
        { filename: 'b.pdf', status: 'uploaded' },
      ],
    },
  ],
]
for (const [what, change] of valid)
  test(`no finding: ${what}`, () => assert.deepEqual(preflightCheck({ ...validOrder, ...change }, checkContext), []))

const withFacts = (change: Partial<NumberFacts>): CheckContext => ({
  ...checkContext,
  facts: { ...noFacts, ...change },
})

test('a number on another open order of the account, or on the account, is reported', () => {
  for (const context of [
    withFacts({ on_order: new Set(['+12065550101']) }),
    withFacts({ ours: new Set(['+12065550101']) }),
  ]) {
    const found = preflightCheck(validOrder, context)
    assert.deepEqual(
      found.map((f) => [f.code, f.severity, f.pointer]),
      [['number_on_other_order', 'error', '/data/attributes/numbers/1']],
    )
  }
})

test('a number that its carrier does not release, or that another carrier holds, is reported', () => {
  const kept = preflightCheck(
    validOrder,
    withFacts({ holdings: new Map([['+12065550101', { carrier: 'X', released: false, reason: 'Not released.' }]]) }),
  )
  assert.deepEqual(
    kept.map((f) => [f.code, f.message]),
    [['number_not_portable', 'Not released.']],
  )
  const elsewhere = preflightCheck(
    validOrder,
    withFacts({ holdings: new Map([['+12065550101', { carrier: 'Other Tel', released: true }]]) }),
  )
  assert.deepEqual(
    elsewhere.map((f) => f.code),
    ['mixed_number_kinds'],
  )
  assert.match(elsewhere[0]?.message ?? '', /2 orders.*Other Tel/)
})

test('all findings are reported at once, errors before warnings', () => {
  const invalid: CheckedOrder = {
    ...validOrder,
    numbers: ['x', '+12125550100'],
    billing_name: 'A',
    company: '',
    usage_type: 'Business',
    street: 'PO Box 1',
    state: 'XX',
    zip: '1',
    pin: '!',
    last_4_ssn: '1',
    billing_number: '1',
    desired_completion_date: '2025-06-14',
    documents: [],
    provider_account: '',
    loa_signed_at: daysAgo(40),
  }
  const found = preflightCheck(invalid, checkContext)
  assert.deepEqual(
    found.map((f) => f.code),
    [
      'number_malformed',
      'name_incomplete',
      'company_missing',
      'pin_mismatch',
      'tax_id_mismatch',
      'billing_number_mismatch',
      'po_box_address',
      'address_mismatch',
      'zip_mismatch',
      'due_date_not_business_day',
      'loa_expired',
      'account_number_mismatch',
      'invoice_missing',
    ],
  )
  assert.equal(
    found.findLastIndex((f) => f.severity === 'error') + 1,
    found.findIndex((f) => f.severity === 'warning'),
  )
})

test('an empty order is checked without an exception', () => {
  const empty: CheckedOrder = {
    numbers: [],
    billing_name: '',
    billing_number: '',
    company: '',
    usage_type: '',
    street: '',
    street2: '',
    city: '',
    state: '',
    zip: '',
    country: '',
    provider: '',
    provider_account: '',
    pin: '',
    last_4_ssn: '',
    desired_completion_date: '',
    documents: [],
    loa_signed_at: null,
  }
  assert.ok(preflightCheck(empty, checkContext).length > 0)
})

test('neither PIN nor social security digits are ever repeated', () => {
  for (const secret of ['!secret-1!', '9481 7359', '948173590001112223']) {
    const text = JSON.stringify(preflightCheck({ ...validOrder, pin: secret, last_4_ssn: secret }, checkContext))
    assert.ok(text.includes('pin_mismatch') && !text.includes(secret))
  }
})
