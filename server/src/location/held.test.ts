import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factories } from '../../test/support/factories.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { loadTown, DEMO_EXAMPLES } from '../../test/support/town.ts'
import { basic } from '../../test/support/wire.ts'
import { parseXml, type XmlElement } from '../engines/addresses/index.ts'

/** HELD, with requests from RFC 5985 and RFC 6155. */

const server = await startTestServer({ env: { DEMARC_HELD_SERVER: 'on' } })
await loadTown(server)
const { newNumber } = factories(server)

const NUMBER = '12065550111'
await newNumber({ value: NUMBER })
const bare = await newNumber({ value: '12065550112' })
const foreign = await newNumber({ value: '12065550113' }, server.other)
const attributes = { ...DEMO_EXAMPLES.accepted, address_type: 'Suite', address_type_number: '4' } as never
const { id: e911_id } = (await server.account.client.createE911({ body: { data: { type: 'e911', attributes } } })).body
  .data
await server.account.client.assignE911({ params: { number: NUMBER, e911_id } })

async function send(body: string | Buffer, { credentials }: Pick<TestAccount, 'credentials'> = server.account) {
  const response = await fetch(`${server.base_url}/held`, {
    method: 'POST',
    headers: {
      authorization: basic(credentials.access_key, credentials.secret_key),
      'content-type': 'application/held+xml;charset=utf-8',
    },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const request = (inner: string, attributes = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<locationRequest xmlns="urn:ietf:params:xml:ns:geopriv:held"${attributes}>${inner}</locationRequest>`
const device = (inner: string) => `<device xmlns="urn:ietf:params:xml:ns:geopriv:held:id">${inner}</device>`
const uri = (value: string) => device(`<uri>${value}</uri>`)

async function codeOf(body: string | Buffer, as?: TestAccount): Promise<string | undefined> {
  const { status, text } = await send(body, as)
  assert.equal(status, 200, text)
  const root = parseXml(text)
  assert.deepEqual([root.name, root.namespace], ['error', 'urn:ietf:params:xml:ns:geopriv:held'], text)
  assert.notEqual(root.children[0]?.text, '')
  return root.attributes.get('code')
}

const find = (root: XmlElement, name: string): XmlElement | undefined =>
  root.name === name ? root : root.children.map((one) => find(one, name)).find((one) => one !== undefined)

test('the location of a number is its emergency address as PIDF-LO', async () => {
  const { status, headers, text } = await send(
    request(
      `<locationType exact="true">civic</locationType>${uri(`tel:+${NUMBER}`)}`,
      ' responseTime="emergencyDispatch"',
    ),
  )
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/held+xml')
  assert.equal(headers.get('cache-control'), 'no-store')
  const root = parseXml(text)
  assert.deepEqual([root.name, root.namespace], ['locationResponse', 'urn:ietf:params:xml:ns:geopriv:held'])
  const [presence] = root.children
  assert.deepEqual(
    [presence?.name, presence?.namespace, presence?.attributes.get('entity')],
    ['presence', 'urn:ietf:params:xml:ns:pidf', `tel:+${NUMBER}`],
  )
  const civic = Object.fromEntries((find(root, 'civicAddress')?.children ?? []).map(({ name, text }) => [name, text]))
  assert.deepEqual(
    [civic['country'], civic['A1'], civic['RD'], civic['HNO'], civic['UNIT']],
    ['US', 'WI', 'MAIN', '100', 'Suite 4'],
  )
})

const identities = [
  uri(`tel:+${NUMBER}`),
  uri(`tel:+1-206-555-0111`),
  uri(`tel:2065550111;phone-context=+1`),
  uri(`sip:+${NUMBER}@pbx.example;user=phone`),
  device(`<msisdn>${NUMBER}</msisdn>`),
  device(`<ip v="4">192.0.2.5</ip><uri>tel:+${NUMBER}</uri>`),
]
for (const identity of identities)
  test(`a number is identified by ${identity}`, async () => {
    assert.match((await send(request(identity))).text, /<locationResponse/)
  })

test('without exact, a location of another type may be returned', async () => {
  const types = '<locationType>geodetic locationURI</locationType>'
  assert.match((await send(request(types + uri(`tel:+${NUMBER}`)))).text, /<locationResponse/)
})

const refused: [string, string | Buffer, string][] = [
  [
    'a geodetic location',
    request(`<locationType exact="true">geodetic</locationType>${uri(`tel:+${NUMBER}`)}`),
    'cannotProvideLiType',
  ],
  [
    'a reference',
    request(`<locationType exact="1">civic locationURI</locationType>${uri(`tel:+${NUMBER}`)}`),
    'cannotProvideLiType',
  ],
  ['an unknown type', request(`<locationType>postal</locationType>${uri(`tel:+${NUMBER}`)}`), 'requestError'],
  ['a number without an address', request(uri(`tel:+${bare}`)), 'locationUnknown'],
  ['a number of another account', request(uri(`tel:+${foreign}`)), 'badIdentifier'],
  ['a number that does not exist', request(uri('tel:+12065559999')), 'badIdentifier'],
  ['the address of the requester', request(''), 'badIdentifier'],
  ['an identity that is no number', request(device('<ip v="4">192.0.2.5</ip>')), 'badIdentifier'],
  ['two numbers', request(device(`<uri>tel:+${NUMBER}</uri><uri>tel:+${bare}</uri>`)), 'badIdentifier'],
  ['a message of another kind', '<locationUpdate xmlns="urn:ietf:params:xml:ns:geopriv:held"/>', 'unsupportedMessage'],
  ['a request in another namespace', '<locationRequest xmlns="urn:x"/>', 'unsupportedMessage'],
  ['what is no XML', '{"number": "1"}', 'xmlError'],
  ['nothing', '', 'xmlError'],
  ['what is no UTF-8', Buffer.from(request(`<!--é-->${uri(`tel:+${NUMBER}`)}`), 'latin1'), 'xmlError'],
  ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${request(uri(`tel:+${NUMBER}`)).slice(39)}`, 'xmlError'],
  ['an entity', request(uri('tel:&number;')), 'xmlError'],
  ['great depth', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`, 'xmlError'],
]
for (const [what, body, code] of refused)
  test(`${what} is refused with ${code}`, async () => {
    assert.equal(await codeOf(body), code)
  })

test('a number of another account is refused exactly like one that does not exist', async () => {
  const [asked, expected] = [await send(request(uri(`tel:+${foreign}`))), await send(request(uri('tel:+12065559999')))]
  assert.equal(asked.text, expected.text)
  assert.match(asked.text, /<requiredIdentifiers xmlns="urn:ietf:params:xml:ns:geopriv:held:id">uri</)
  assert.equal(await codeOf(request(uri(`tel:+${NUMBER}`)), server.other), 'badIdentifier')
})

test('the operator sees all numbers, or those of the account it acts for', async () => {
  const operator = { credentials: server.operator_credentials }
  assert.match((await send(request(uri(`tel:+${NUMBER}`)), operator)).text, /<locationResponse/)
})

test('a key without the scope, a body of another type, and a large body are refused', async () => {
  const without = await server.newAccount('Numbers only', ['numbers:read'])
  assert.equal((await send(request(uri(`tel:+${NUMBER}`)), without)).status, 403)
  const headers = { authorization: basic(server.account.credentials.access_key, server.account.credentials.secret_key) }
  const as = (type: string, body: string) =>
    fetch(`${server.base_url}/held`, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
  assert.equal((await as('application/json', '{}')).status, 415)
  assert.equal((await as('application/held+xml', `<a>${' '.repeat(70_000)}</a>`)).status, 413)
})

test('the server is disabled by default', async () => {
  const off = await startTestServer()
  const { access_key, secret_key } = off.account.credentials
  for (const [path, type] of [
    ['/held', 'application/held+xml'],
    ['/lost', 'application/lost+xml'],
  ] as const) {
    const response = await fetch(off.base_url + path, {
      method: 'POST',
      headers: { authorization: basic(access_key, secret_key), 'content-type': type },
      body: request(uri(`tel:+${NUMBER}`)),
    })
    assert.equal(response.status, 404)
    assert.match(await response.text(), /can enable it/)
  }
})
