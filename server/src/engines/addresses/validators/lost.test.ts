import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addressOf } from '../testing/address.ts'
import { sendByFetch, type SendHttp } from './http.ts'
import { lostValidator } from './lost.ts'
import { serve } from './testing/server.ts'
import type { Outcome } from './validator.ts'
import { parseXml } from './xml.ts'

const ADDRESS = addressOf(1234, 'Market St', 'Philadelphia, PA 19107')
const NAMESPACES = `xmlns="urn:ietf:params:xml:ns:lost1" xmlns:rli="urn:ietf:params:xml:ns:lost-rli1" xmlns:ca="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr"`
const MAPPING = `<mapping expires="NO-CACHE" lastUpdated="2026-01-01T00:00:00Z" source="lvf.example" sourceId="1"><displayName xml:lang="en">City Dispatch</displayName><service>urn:service:sos</service><uri>sip:psap@example.com</uri></mapping>`

const response = (validation: string) =>
  `<?xml version="1.0"?><findServiceResponse ${NAMESPACES}>${MAPPING}${validation}<path><via source="lvf.example"/></path></findServiceResponse>`
const validation = (inner: string) => response(`<locationValidation>${inner}</locationValidation>`)
const similar = (civic: Record<string, string>) => {
  const inner = Object.entries(civic).map(([name, value]) => `<ca:${name}>${value}</ca:${name}>`)
  return `<rli:similarLocation><location id="s" profile="civic"><ca:civicAddress>${inner.join('')}</ca:civicAddress></location></rli:similarLocation>`
}
const MARKET = { country: 'US', A1: 'PA', A3: 'PHILADELPHIA', RD: 'MARKET', STS: 'STREET', HNO: '1234', PC: '19107' }

async function ask(t: TestContext, body: string, status = 200): Promise<Outcome> {
  const { url } = await serve(t, () => ({ status, body }))
  return lostValidator({ url, send: sendByFetch, now: () => 0 }).validate(ADDRESS)
}

test('the request is a findService with the civic address in full words', async (t) => {
  const { url, arrived } = await serve(t, () => ({ body: validation('<valid>ca:country</valid>') }))
  const address = {
    ...addressOf('12B', 'N <Main> St W', 'Hertford, NC 27944'),
    unit: { type: 'Suite', id: '4 & 5' },
  } as const
  await lostValidator({ url, send: sendByFetch, now: () => 0 }).validate(address)
  const [request] = arrived
  assert.equal(request?.method, 'POST')
  assert.equal(request?.headers['content-type'], 'application/lost+xml')
  const root = parseXml(request?.body ?? '')
  assert.equal(root.name, 'findService')
  assert.equal(root.attributes.get('validateLocation'), 'true')
  const [civic] = root.children[0]?.children ?? []
  assert.deepEqual(
    civic?.children.map(({ name, text }) => [name, text]),
    [
      ['country', 'US'],
      ['A1', 'NC'],
      ['A3', 'HERTFORD'],
      ['PRD', 'NORTH'],
      ['RD', 'MAIN'],
      ['STS', 'STREET'],
      ['POD', 'WEST'],
      ['HNO', '12'],
      ['HNS', 'B'],
      ['PC', '27944'],
      ['UNIT', 'Suite 4 & 5'],
    ],
  )
})

test('an address with an unchecked number is accepted at level range', async (t) => {
  const outcome = await ask(
    t,
    validation('<valid>ca:country ca:A1 ca:A3 ca:RD ca:STS</valid><unchecked>ca:HNO ca:PC</unchecked>'),
  )
  assert.ok(outcome.kind === 'ok')
  assert.equal(outcome.level, 'range')
  assert.deepEqual(outcome.source, { name: 'lost', vintage: 'lvf.example' })
  assert.equal(outcome.psap, 'City Dispatch')
  assert.deepEqual(outcome.elements.valid, ['country', 'A1', 'A3', 'RD', 'STS'])
  assert.deepEqual(outcome.elements.unchecked, ['PC', 'HNO'])
})

test('an address with a valid number is accepted at level address', async (t) => {
  const outcome = await ask(t, validation('<valid>ca:country ca:A1 ca:RD ca:HNO</valid>'))
  assert.equal(outcome.kind === 'ok' && outcome.level, 'address')
})

test('a street that the server did not check is accepted only at level postal', async (t) => {
  const outcome = await ask(
    t,
    validation('<valid>ca:country ca:A1 ca:A3 ca:PC</valid><unchecked>ca:RD ca:HNO</unchecked>'),
  )
  assert.equal(outcome.kind === 'ok' && outcome.level, 'postal')
})

test('an invalid LOC is ignored', async (t) => {
  const outcome = await ask(t, validation('<valid>ca:RD</valid><invalid>ca:LOC</invalid>'))
  assert.equal(outcome.kind, 'ok')
})

test("the prefixes are the server's choice", async (t) => {
  const body = validation('<valid>x:country y:A1</valid><invalid>zz:RD</invalid>')
  const outcome = await ask(t, body)
  assert.ok(outcome.kind === 'not_geocodable')
  assert.deepEqual(outcome.elements, { valid: ['country', 'A1'], invalid: ['RD'], unchecked: [] })
})

test('similar locations become alternatives', async (t) => {
  const body = validation(
    `<valid>ca:A1</valid><invalid>ca:STS</invalid>${similar(MARKET)}${similar({ ...MARKET, PRD: 'SOUTH', PC: '19106' })}`,
  )
  const outcome = await ask(t, body)
  assert.ok(outcome.kind === 'correct')
  assert.deepEqual(
    outcome.alternatives.map(({ street_number, street_name, city, zip }) => [street_number, street_name, city, zip]),
    [
      ['1234', 'MARKET ST', 'PHILADELPHIA', '19107'],
      ['1234', 'S MARKET ST', 'PHILADELPHIA', '19106'],
    ],
  )
})

test('a similar location with another house number is not offered', async (t) => {
  const outcome = await ask(t, validation(`<invalid>ca:HNO</invalid>${similar({ ...MARKET, HNO: '1236' })}`))
  assert.equal(outcome.kind, 'not_geocodable')
})

for (const name of ['notFound', 'locationInvalid']) {
  test(`the error ${name} means that the address does not exist`, async (t) => {
    const body = `<errors xmlns="urn:ietf:params:xml:ns:lost1" source="lvf.example"><${name} message="no"/></errors>`
    assert.equal((await ask(t, body)).kind, 'not_geocodable')
  })
}

const UNAVAILABLE: [string, string, number?][] = [
  ['another error', '<errors xmlns="urn:ietf:params:xml:ns:lost1" source="x"><serverTimeout/></errors>'],
  [
    'an error beside notFound',
    '<errors xmlns="urn:ietf:params:xml:ns:lost1" source="x"><notFound/><internalError/></errors>',
  ],
  ['a redirect', '<redirect xmlns="urn:ietf:params:xml:ns:lost1" target="other.example" source="x"/>'],
  ['a response without the validation', response('<warnings source="x"><locationValidationUnavailable/></warnings>')],
  ['another kind of document', '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
  ['a document type', `<!DOCTYPE a [<!ENTITY x "y">]>${validation('<valid>ca:A1</valid>')}`],
  ['broken XML', '<findServiceResponse'],
  ['HTTP status 500', validation('<valid>ca:A1</valid>'), 500],
  ['HTTP status 302', '', 302],
]

for (const [what, body, status] of UNAVAILABLE) {
  test(`${what} means unavailable`, async (t) => assert.equal((await ask(t, body, status)).kind, 'unavailable'))
}

test('a server that does not respond means unavailable after the timeout', async (t) => {
  const { url } = await serve(t, () => null)
  const impatient: SendHttp = (request) => sendByFetch({ ...request, timeout_ms: 50 })
  const outcome = await lostValidator({ url, send: impatient, now: () => 0 }).validate(ADDRESS)
  assert.equal(outcome.kind, 'unavailable')
})

test('a response that is too long means unavailable', async (t) => {
  const { url } = await serve(t, () => ({ body: 'x'.repeat(400_000) }))
  const outcome = await lostValidator({ url, send: sendByFetch, now: () => 0 }).validate(ADDRESS)
  assert.ok(outcome.kind === 'unavailable')
  assert.match(outcome.reason, /longer than/)
})
