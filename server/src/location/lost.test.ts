import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'
import { basic } from '../../test/support/wire.ts'
import { importText } from '../engines/street-data/testing/import.ts'
import { CSV } from '../engines/street-data/testing/stored.ts'
import { lostValidator, parseXml, type XmlElement } from '../engines/addresses/index.ts'
import { addressOf } from '../engines/addresses/testing/address.ts'

/** LoST, with requests from RFC 5222 and from our own client. */

const server = await startTestServer({ env: { DEMARC_LOST_SERVER: 'on' } })
await loadTown(server)
const { access_key, secret_key } = server.account.credentials
const headers = { authorization: basic(access_key, secret_key), 'content-type': 'application/lost+xml' }

async function send(body: string | Buffer) {
  const response = await fetch(`${server.base_url}/lost`, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

async function ask(body: string | Buffer): Promise<XmlElement> {
  const response = await send(body)
  assert.equal(response.status, 200, response.body)
  assert.equal(response.headers.get('content-type'), 'application/lost+xml')
  const root = parseXml(response.body)
  assert.equal(root.namespace, 'urn:ietf:params:xml:ns:lost1')
  return root
}

const MAIN = { country: 'US', A1: 'WI', A3: 'Friendship', PRD: 'N', RD: 'Main', STS: 'St', HNO: '100', PC: '53934' }
const civic = (elements: Record<string, string>) =>
  `<location id="627b8bf819d0bf4d" profile="civic"><civicAddress xmlns="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr">${Object.entries(
    elements,
  )
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('')}</civicAddress></location>`
const LOST = 'xmlns="urn:ietf:params:xml:ns:lost1" xmlns:rli="urn:ietf:params:xml:ns:lost-rli1"'
const find = (location: string, { service = 'urn:service:sos', attributes = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?><findService ${LOST} recursive="true" serviceBoundary="value" ${attributes}>${location}<service>${service}</service></findService>`
const validating = { attributes: 'validateLocation="true"' }

const child = (root: XmlElement | undefined, name: string) => root?.children.find((one) => one.name === name)
/** The name of the error. */
async function errorOf(body: string | Buffer): Promise<string | undefined> {
  const root = await ask(body)
  assert.equal(root.name, 'errors', JSON.stringify(root))
  assert.equal(root.attributes.get('source'), '127.0.0.1')
  assert.notEqual(root.children[0]?.attributes.get('message'), '')
  return root.children[0]?.name
}

test('findService returns the answering point of a civic address', async () => {
  const root = await ask(find(civic(MAIN)))
  assert.equal(root.name, 'findServiceResponse')
  const mapping = child(root, 'mapping')
  assert.deepEqual(
    mapping?.children.map(({ name, text }) => [name, text]),
    [
      ['displayName', 'Demo County Dispatch'],
      ['service', 'urn:service:sos'],
      ['serviceNumber', '911'],
    ],
  )
  for (const name of ['expires', 'lastUpdated', 'source', 'sourceId']) assert.ok(mapping?.attributes.has(name), name)
  assert.equal(child(root, 'locationUsed')?.attributes.get('id'), '627b8bf819d0bf4d')
  assert.deepEqual(
    child(root, 'path')?.children.map(({ attributes }) => attributes.get('source')),
    ['127.0.0.1'],
  )
  assert.equal(child(root, 'locationValidation'), undefined)
})

const verdicts = (root: XmlElement) =>
  Object.fromEntries((child(root, 'locationValidation')?.children ?? []).map(({ name, text }) => [name, text]))

test('with validateLocation, each element of the request is valid, invalid, or unchecked', async () => {
  assert.deepEqual(verdicts(await ask(find(civic({ ...MAIN, FLR: '2' }), validating))), {
    valid: 'ca:country ca:A1 ca:PC ca:A3 ca:PRD ca:RD ca:STS ca:HNO',
    unchecked: 'ca:FLR',
  })
  const wrong = await ask(find(civic({ ...MAIN, PRD: '', RD: 'Ceder', HNO: '200' }), validating))
  assert.match(verdicts(wrong)['invalid'] ?? '', /ca:RD/)
  assert.equal(child(child(wrong, 'warnings'), 'defaultMappingReturned')?.name, 'defaultMappingReturned')
})

const civicAddress = (inner: string) =>
  `<location id="1" profile="civic"><civicAddress xmlns="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr" xmlns:e="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr:ext" xmlns:x="urn:x">${inner}</civicAddress></location>`
const at = (more: string, changes: Partial<typeof MAIN> = {}) =>
  civicAddress(
    Object.entries({ ...MAIN, ...changes })
      .map(([name, text]) => (text === '' ? '' : `<${name}>${text}</${name}>`))
      .join('') + more,
  )

/** What is sent, and the elements that were not checked. */
const UNCHECKED: [string, string, string | undefined][] = [
  ['a municipality that contradicts the postal city', at('<PCN>Friendship</PCN>', { A3: 'Westfield' }), 'ca:A3'],
  ['a municipality equal to the postal city', at('<PCN>FRIENDSHIP</PCN>'), undefined],
  ['a second house number', at('<HNO>999</HNO>'), 'ca:HNO'],
  ['the same house number twice', at('<HNO>100</HNO>'), undefined],
  ['a street in another namespace', at('<x:RD>Nowhere</x:RD>'), 'n1:RD'],
  ['a street in the namespace of extensions', at('<e:RD>Nowhere</e:RD>'), 'cae:RD'],
  ['a prefix of the number outside of its namespace', at('<HNP>N</HNP>'), 'ca:HNP'],
  ['an empty element', at('<POD></POD>'), 'ca:POD'],
  ['elements that no data has', at('<LMK>Tower</LMK><FLR>2</FLR>'), 'ca:LMK ca:FLR'],
]
for (const [what, location, unchecked] of UNCHECKED)
  test(`only what was checked is valid: ${what}`, async () => {
    const found = verdicts(await ask(find(location, validating)))
    assert.equal(found['unchecked'], unchecked)
    assert.equal(found['invalid'], undefined)
    for (const name of unchecked?.split(' ') ?? []) assert.ok(!found['valid']?.split(' ').includes(name), name)
  })

test('modifiers are part of the street, so a wrong one is invalid and a right one valid', async () => {
  await importText(
    server.runtime.database.pool,
    'nena-ssap-csv',
    CSV(
      'State,Post_Code,Post_Comm,MSAGComm,Add_Number,St_PreMod,St_Name,St_PosTyp,St_PosMod',
      'NC,27944,Hertford,Snug Harbor,12,Old,Mill,Rd,',
      'NC,27944,Hertford,Snug Harbor,14,,Bay,Rd,Extended',
    ),
  )
  const there = { ...MAIN, A1: 'NC', A3: 'Snug Harbor', PRD: '', RD: 'Mill', STS: 'Rd', HNO: '12', PC: '27944' }
  const old = verdicts(await ask(find(at('<PRM>Old</PRM>', there), validating)))
  assert.deepEqual([old['invalid'], old['unchecked']], [undefined, undefined])
  assert.match(old['valid'] ?? '', /ca:RD ca:PRM|ca:PRM ca:RD/)
  const extended = { ...there, RD: 'Bay', HNO: '14' }
  assert.match(verdicts(await ask(find(at('<POM>Extended</POM>', extended), validating)))['valid'] ?? '', /ca:POM/)
  const wrong = verdicts(await ask(find(at('<PRM>Upper</PRM>', there), validating)))
  assert.match(wrong['invalid'] ?? '', /ca:RD/)
  // the post office's name for the community
  const both = verdicts(await ask(find(at('<PRM>Old</PRM><PCN>Hertford</PCN>', there), validating)))
  assert.deepEqual([both['invalid'], both['unchecked']], [undefined, undefined])
})

test('similar locations are returned on request', async () => {
  const wanted = { attributes: 'validateLocation="true" rli:returnAdditionalLocation="any"' }
  const root = await ask(find(civic({ ...MAIN, PRD: '', RD: 'Ceder', HNO: '200' }), wanted))
  const similar = child(child(root, 'locationValidation'), 'similarLocation')
  const address = child(child(similar, 'location'), 'civicAddress')
  assert.equal(child(address, 'RD')?.text, 'CEDAR')
})

test('a subservice is substituted with a warning', async () => {
  const root = await ask(find(civic(MAIN), { service: 'urn:service:sos.fire' }))
  assert.equal(child(child(root, 'mapping'), 'service')?.text, 'urn:service:sos')
  assert.ok(child(child(root, 'warnings'), 'serviceSubstitution'))
})

test('listServices and listServicesByLocation return SOS', async () => {
  const all = await ask(`<listServices ${LOST}/>`)
  assert.deepEqual([all.name, child(all, 'serviceList')?.text], ['listServicesResponse', 'urn:service:sos'])
  const below = await ask(`<listServices ${LOST}><service>urn:service:sos</service></listServices>`)
  assert.equal(child(below, 'serviceList')?.text, '')
  const there = await ask(`<listServicesByLocation ${LOST} recursive="true">${civic(MAIN)}</listServicesByLocation>`)
  assert.deepEqual(
    [there.name, child(there, 'serviceList')?.text, child(there, 'locationUsed')?.attributes.get('id')],
    ['listServicesByLocationResponse', 'urn:service:sos', '627b8bf819d0bf4d'],
  )
})

const POINT =
  '<location id="6020688f1ce1896d" profile="geodetic-2d"><p2:Point xmlns:p2="http://www.opengis.net/gml" srsName="urn:ogc:def:crs:EPSG::4326"><p2:pos>37.775 -122.422</p2:pos></p2:Point></location>'
const refused: [string, string | Buffer, string][] = [
  ['a geodetic location', find(POINT), 'locationProfileUnrecognized'],
  ['an address that does not exist', find(civic({ ...MAIN, HNO: '98765' })), 'notFound'],
  [
    'an address of which nobody knows who answers',
    find(civic({ ...MAIN, A1: 'WA', A3: 'Seattle', PC: '98101' })),
    'notFound',
  ],
  ['a location without a house number', find(civic({ ...MAIN, HNO: '' })), 'locationInvalid'],
  ['a state of another country', find(civic({ ...MAIN, country: 'CA' })), 'locationInvalid'],
  ['another service', find(civic(MAIN), { service: 'urn:service:counseling' }), 'serviceNotImplemented'],
  ['a request without a location', find(''), 'badRequest'],
  ['a boundary', `<getServiceBoundary ${LOST} key="7214148E0433AFE2FA2D48003D31172E"/>`, 'notFound'],
  ['a request that was here before', find(`${civic(MAIN)}<path><via source="127.0.0.1"/></path>`), 'loop'],
  ['another document', '<presence xmlns="urn:ietf:params:xml:ns:pidf"/>', 'badRequest'],
  ['a document type', `<!DOCTYPE a>${find(civic(MAIN)).slice(38)}`, 'badRequest'],
  ['what is no XML', 'findService', 'badRequest'],
  ['what is no UTF-8', Buffer.from(find(civic({ ...MAIN, RD: 'Máin' })), 'latin1'), 'badRequest'],
]
for (const [what, body, name] of refused)
  test(`${what} is refused with ${name}`, async () => {
    assert.equal(await errorOf(body), name)
  })

test('an unsupported profile is named', async () => {
  const root = await ask(find(POINT))
  assert.equal(root.children[0]?.attributes.get('unsupportedProfiles'), 'geodetic-2d')
})

test('of two profiles, the civic one is read', async () => {
  assert.equal((await ask(find(POINT + civic(MAIN)))).name, 'findServiceResponse')
})

test('our own LoST client validates with this server', async () => {
  const client = lostValidator({
    url: `${server.base_url}/lost`,
    now: () => 0,
    send: async ({ body = '' }) => {
      const { status, body: text } = await send(body)
      return { status, body: text }
    },
  })
  const at = (number: number | string, street: string) =>
    client.validate(addressOf(number, street, 'Friendship, WI 53934'))
  const right = await at(100, 'N Main St')
  assert.deepEqual(right.kind === 'ok' && [right.level, right.psap, right.source.name], [
    'address',
    'Demo County Dispatch',
    'lost',
  ])
  const corrected = await at(200, 'Ceder St')
  assert.deepEqual(corrected.kind === 'correct' && corrected.alternatives.map(({ street_name }) => street_name), [
    'CEDAR ST',
  ])
  assert.equal((await at(98765, 'N Main St')).kind, 'not_geocodable')
})
