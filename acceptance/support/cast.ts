import type { Service } from './service.ts'

/** Account resources that tests share, under names that no earlier run against the same service has used. */

/**
 * Four digits for the middle of a number, after a 4: at least 2000, because no exchange is 411. `DEMARC_TEST_RUN` reuses those
 * of an earlier run.
 */
export const run = process.env['DEMARC_TEST_RUN'] ?? String(Math.floor(Math.random() * 8000) + 2000)
process.once('exit', (code) => {
  if (code !== 0) console.error(`The digits of this run are ${run}; DEMARC_TEST_RUN=${run} makes them again.`)
})

/** An address in the made-up town, on the given house number of North Main Street. */
export const friendship = (unit: string, other: Record<string, unknown> = {}) => ({
  label: `Office ${run} ${unit}`,
  first_name: 'Rosa',
  last_name: 'Diaz',
  street_number: '100',
  street_name: 'N Main St',
  address_type: 'Suite',
  address_type_number: `${run}${unit}`,
  city: 'Friendship',
  state: 'WI',
  country: 'US',
  zip: '53934',
  ...other,
})

/** The request body that creates or validates such an address. */
export const addressBody = (unit: string, other: Record<string, unknown> = {}) =>
  JSON.stringify({ data: { type: 'e911', attributes: friendship(unit, other) } })

/** The attributes of a port order request. */
export const portOrder = (numbers: readonly string[], other: Record<string, unknown> = {}) => ({
  numbers: [...numbers],
  billing_name: 'Rosa Diaz',
  street: '88 Pine Street',
  city: 'Seattle',
  state: 'WA',
  zip: '98101',
  country: 'US' as const,
  provider: 'Old Telephone Company',
  usage_type: 'Residential' as const,
  ...other,
})

/** Long codes that the operator adds to the account: `14254`, the run, and two digits each. */
export async function addNumbers({ account, operator }: Service, endings: readonly string[]): Promise<string[]> {
  const { account_id } = (await account.whoami()).body.data
  if (account_id === null) throw new Error('an account key belongs to an account')
  const values = endings.map((ending) => `14254${run}${ending}`)
  await operator.addNumbers({
    params: { account_id },
    body: { numbers: values.map((value) => ({ value, number_type: 'longcode', state: 'WA' })) },
  })
  return values
}

/** Numbers that the operator adds to the inventory: `12537`, the run, and two digits each. They cost $1.25 a month and $1.00 once. */
export async function addInventory({ operator }: Service, endings: readonly string[]): Promise<string[]> {
  const values = endings.map((ending) => `12537${run}${ending}`)
  const lines = values.map((value) => `${value},TACOMA,WA,1.25,1.00,own`)
  const body = ['number,rate_center,state,monthly_cost,setup_cost,supplier', ...lines].join('\n')
  await operator.loadInventory({ body, content_type: 'text/csv' })
  return values
}

/** A caller ID name that the operator has approved. */
export async function approvedCnam({ account, operator }: Service, value: string): Promise<string> {
  const { id: cnam_id } = (await account.createCnam({ body: { value } })).body.data
  await operator.decideCnam({ params: { cnam_id }, body: { is_approved: true } })
  return cnam_id
}
