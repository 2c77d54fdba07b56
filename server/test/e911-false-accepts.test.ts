import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { eventually } from './support/eventually.ts'
import { startTestServer } from './support/server.ts'
import { type Corrected, levelOf, validate } from '../../scripts/e911-evaluate/service.ts'

/**
 * Addresses that were once accepted although they are or may be wrong: each would send help to the wrong building. Streets are
 * made up. Add new cases to `fixtures/e911-false-accepts.json`, with the data rows that show the error.
 */

interface Dataset {
  name: string
  format: 'openaddresses-csv' | 'msag-csv' | 'nena-rcl-csv'
  authority: 'authoritative' | 'indicative'
  columns: string
  /** City, state, and ZIP code of a place that gets more streets, so that the data covers it. */
  filler: string | null
  rows: string[]
}

interface Case {
  kind: string
  /** `number street, city ST zip` */
  send: string
  /** A control: this address is correct, which shows that the data is loaded. */
  accepted?: true
  /** `number street` expected among the corrections. */
  offers?: string
  /** The level at which it may be accepted, because that level states that the number is unknown. */
  unless_level?: string
}

// the file's own shape, as the interfaces above say
const { datasets, cases } = JSON.parse(
  readFileSync(new URL('fixtures/e911-false-accepts.json', import.meta.url), 'utf8'),
) as { datasets: Dataset[]; cases: Case[] }

const server = await startTestServer({ worker: true })
after(() => server.close())
const keys = { account: server.account.credentials, operator: server.operator_credentials }
const service = { base_url: server.base_url, keys }

before(async () => {
  for (const { name, format, authority, columns, filler, rows } of datasets) {
    const body = [columns, ...rows, ...(filler === null ? [] : further(filler))].join('\n')
    const query = { name, vintage: '1', format, authority, activate: 'true' } as const
    const { id } = (await server.operator.importE911Dataset({ query, body, content_type: 'text/csv' })).body.data
    const status = async () =>
      (await server.operator.getE911Dataset({ params: { dataset_id: id } })).body.data.attributes.status
    await eventually(async () => (await status()) === 'active')
  }
})

/** Twenty numbers on each of thirty streets. */
function further(place: string): string[] {
  return Array.from(
    { length: 600 },
    (_, i) => `${2 * (i % 20) + 2},Ibisfield ${letters(Math.floor(i / 20))} Dr,${place}`,
  )
}

function letters(i: number): string {
  return `${String.fromCharCode(65 + (i % 26))}a${'mn'[Math.floor(i / 26)] ?? ''}os`
}

function addressOf(text: string): Corrected {
  const [, street_number = '', street_name = '', city = '', state = '', zip = ''] =
    /^(\S+(?: \d\/\d)?) (.+), (.+) ([A-Z]{2}) (\d{5}|[A-Z]\d[A-Z] \d[A-Z]\d)$/.exec(text) ?? assert.fail(text)
  return { street_number, street_name, city, state, country: countryOf(zip), zip }
}

const countryOf = (zip: string) => (/^\d/.test(zip) ? 'US' : 'CA')

describe('never accepted:', () => {
  for (const { kind, send, accepted, offers, unless_level } of cases)
    test(accepted ? `not so, because it is right: ${send}` : `${kind}: ${send}`, async () => {
      const address = addressOf(send)
      const outcome = await validate(service, address)
      if (accepted) return assert.deepEqual(outcome, { kind: 'accepted' })
      if (outcome.kind === 'accepted') {
        const { street_number: number, street_name: street, city, state, zip } = address
        const level = await levelOf(service, { number, street, city, state, zip, country: countryOf(zip) })
        assert.equal(level, unless_level ?? 'not accepted')
      }
      if (offers === undefined) return
      assert.ok(outcome.kind === 'corrected', JSON.stringify(outcome))
      const offered = outcome.alternatives.map(({ street_number, street_name }) => `${street_number} ${street_name}`)
      assert.ok(offered.includes(offers.toUpperCase()), offered.join(' | '))
    })
})
