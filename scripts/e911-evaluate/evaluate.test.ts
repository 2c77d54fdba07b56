import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { columnsOf } from './columns.ts'
import { evaluate, type Evaluation } from './evaluate.ts'
import { Gazetteer } from './gazetteer.ts'
import { csvRecords } from './records.ts'
import { reportText, targetsOf } from './report.ts'
import type { Corrected } from './service.ts'
import { Source } from './source.ts'
import { type TrialName, TRIALS, trialNames } from './trials.ts'

/** Tests the evaluation itself: it must report the known errors of these validators. */

const STREETS = ['Alder St', 'N Beech Ave', 'Cedar Hill Rd', 'W Dogwood Blvd', 'Ellsworth Ter', 'Fitchburg Ln']
const TOWN = { city: 'Hertford', state: 'NC', zip: '27944' }

/** Points on six streets, some with a prefix, a letter or a fraction; every tenth number is left out. */
function points(): string {
  const rows = STREETS.flatMap((street, i) =>
    Array.from({ length: 20 }, (_, n) => `${1000 + 100 * i + 2 * n},${street}`).filter((_, n) => n % 10 !== 9),
  )
  const odd = ['N88W16521,Alder St', 'W2N3300,N Beech Ave', '901 1/2,Cedar Hill Rd', '903A,Fitchburg Ln']
  const all = [...rows, ...odd].map((row) => `${row},${TOWN.city},${TOWN.state},${TOWN.zip}`)
  // another town and code of the county
  return ['NUMBER,STREET,CITY,REGION,POSTCODE', ...all, '5,Main St,Winfall,NC,27985'].join('\n')
}

const records = csvRecords(points())
const source = new Source(records, columnsOf('openaddresses-csv', undefined), {}, new Gazetteer())
/** Number, street, and place of every row, as written in the file. */
const rows = new Set(records.map((fields) => [...fields.values()].join('|')))
const isRow = (a: Corrected, number = a.street_number) =>
  rows.has([number, a.street_name, a.city, a.state, a.zip].join('|'))

/** A validator that accepts what `accepts` says and finds nothing again. */
async function evaluated(
  t: TestContext,
  accepts: (address: Corrected) => boolean,
  only: readonly TrialName[] = trialNames(),
): Promise<Evaluation> {
  const server = createServer((request, response) => {
    void (async () => {
      const { street_number, ...rest } = await attributesOf(request)
      const accepted = accepts({ street_number, ...rest })
      if (request.url === '/v2/e911s/validate' && accepted) return response.writeHead(204).end()
      const errors = [{ title: 'Client Error', detail: 'It cannot be located.' }]
      return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ errors }))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  // the address of a server on a port, as node:net documents it
  const { port } = server.address() as AddressInfo
  const keys = { access_key: 'a', secret_key: 's' }
  return await evaluate({ base_url: `http://127.0.0.1:${port}`, keys: { account: keys, operator: keys } }, source, {
    addresses: 200,
    seed: 1,
    examples: 2,
    is_indicative: true,
    only,
  })
}

async function attributesOf(request: IncomingMessage): Promise<Corrected> {
  // what `validate` sends
  return ((await json(request)) as { data: { attributes: Corrected } }).data.attributes
}

/** Trials of addresses that must never be accepted. */
const WRONG = trialNames().filter((name) => TRIALS[name].wrong !== null)

/** The names of the trials with a false accept. */
const falsely = ({ results }: Evaluation) =>
  results.filter(({ false_accepts }) => false_accepts > 0).map(({ name }) => name)
const failed = (evaluation: Evaluation) =>
  targetsOf(evaluation).flatMap(({ name, is_reached }) => (is_reached ? [] : [name]))

describe('the evaluation', () => {
  test('reports each false accept of a validator that accepts everything', async (t) => {
    const evaluation = await evaluated(t, () => true)
    const without = new Set(['wrong parity'])
    assert.deepEqual(
      falsely(evaluation),
      WRONG.filter((name) => !without.has(name)),
    )
    for (const { name, sent, false_accepts, false_examples } of evaluation.results)
      if (TRIALS[name].wrong !== null && !without.has(name)) {
        assert.equal(false_accepts, sent, name)
        assert.ok(false_examples.length > 0, name)
      }
    assert.ok(failed(evaluation).includes('wrong address not accepted'))
    const text = reportText(evaluation)
    assert.ok(text.indexOf('FALSE ACCEPTS') < text.indexOf('CORRECTIONS'))
    assert.match(text, /wrong address not accepted +0\.00 % +100\.00 % +FAILED/)
  })

  test('reports no false accepts of a validator that compares text, but fails its recall', async (t) => {
    const evaluation = await evaluated(t, (address) => isRow(address))
    assert.deepEqual(falsely(evaluation), [])
    assert.deepEqual(failed(evaluation), ['restyled', 'one-letter typo', 'sound-alike', 'wrong town corrected'])
  })

  const folding: [string, (number: string) => string, string[]][] = [
    ['hyphens', (number) => number.replace(/(\d)-(?=\d)/, '$1'), ['hyphen in the number']],
    ['ranges to their low number', (number) => number.replace(/(\d{3,})-\d+$/, '$1'), ['range as the number']],
    ['prefixes', (number) => number.replace(/^\D+\d*\D+(?=\d{3})/, ''), ['prefix added']],
    ['letters', (number) => number.replace(/(\d)[A-D]$/, '$1'), ['letter added']],
    ['fractions', (number) => number.replace(/ 1\/2$/, ''), ['fraction added']],
    [
      'prefixes that the data has',
      (number) => ({ 16521: 'N88W16521', 300: 'W2N3300' })[number] ?? number,
      ['prefix left out'],
    ],
    [
      'letters and fractions that the data has',
      (number) => ({ 901: '901 1/2', 903: '903A' })[number] ?? number,
      ['letter or fraction left out'],
    ],
    [
      'numbers to their even hundred',
      (number) => number.replace(/\d8$/, '00'),
      ['number between points', 'past the end'],
    ],
  ]
  for (const [what, fold, wanted] of folding)
    test(`reports a validator that folds ${what}`, async (t) => {
      const evaluation = await evaluated(
        t,
        (address) => isRow(address) || isRow(address, fold(address.street_number)),
        WRONG,
      )
      assert.deepEqual(falsely(evaluation), wanted)
    })

  const blind: [string, Partial<Corrected>, string[]][] = [
    ['the town', { city: TOWN.city }, ['wrong town']],
    ['the ZIP code', { zip: TOWN.zip }, ['wrong ZIP of the county', 'ZIP of post office boxes']],
  ]
  for (const [what, place, wanted] of blind)
    test(`reports a validator that does not compare ${what}`, async (t) => {
      assert.deepEqual(falsely(await evaluated(t, (address) => isRow({ ...address, ...place }), WRONG)), wanted)
    })

  test('fails without an address', async (t) => {
    const nothing = { addresses: 0, results: [], closure: { sent: 0, refused: 0, examples: [] } }
    assert.deepEqual(failed({ ...nothing, latency_ms: { p50: 0, p99: 0 } }), ['addresses drawn'])
    assert.ok(t.name)
  })
})
