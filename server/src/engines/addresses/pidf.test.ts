import assert from 'node:assert/strict'
import { test } from 'node:test'
import { civicElements, pidfLo } from './pidf.ts'
import { addressOf } from './testing/address.ts'
import { parseXml, type XmlElement } from './validators/xml.ts'

/** Elements of RFC 5139 in the order of its schema; those of RFC 6848 come last. */
const ORDER =
  'country A1 A2 A3 A4 A5 A6 PRM PRD RD STS POD POM RDSEC RDBR RDSUBBR HNO HNS LMK LOC FLR NAM PC BLD UNIT ROOM SEAT PLC PCN POBOX ADDCODE HNP STP'.split(
    ' ',
  )

const HERTFORD = 'Hertford, NC 27944'

function path(root: XmlElement, ...names: string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>((at, name) => at?.children.find((one) => one.name === name), root)
}

test('a document has the civic address, its entity and its timestamp', () => {
  const address = { ...addressOf('12B', 'N Main St', HERTFORD), unit: { type: 'Suite', id: '4' } } as const
  const xml = pidfLo({ address, name: 'Rosa Diaz' }, { entity: 'tel:+12065550100', timestamp: '2026-03-01T12:00:00Z' })
  const root = parseXml(xml)
  assert.equal(root.name, 'presence')
  assert.equal(root.namespace, 'urn:ietf:params:xml:ns:pidf')
  assert.equal(root.attributes.get('entity'), 'tel:+12065550100')
  const geopriv = path(root, 'tuple', 'status', 'geopriv')
  assert.equal(geopriv?.namespace, 'urn:ietf:params:xml:ns:pidf:geopriv10')
  assert.ok(path(root, 'tuple', 'status', 'geopriv', 'usage-rules'))
  assert.equal(path(root, 'tuple', 'timestamp')?.text, '2026-03-01T12:00:00Z')
  const civic = path(root, 'tuple', 'status', 'geopriv', 'location-info', 'civicAddress')
  assert.equal(civic?.namespace, 'urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr')
  assert.deepEqual(
    civic?.children.map(({ name, text }) => `${name}=${text}`),
    [
      'country=US',
      'A1=NC',
      'A3=HERTFORD',
      'PRD=NORTH',
      'RD=MAIN',
      'STS=STREET',
      'HNO=12',
      'HNS=B',
      'NAM=Rosa Diaz',
      'PC=27944',
      'UNIT=Suite 4',
    ],
  )
})

/** Number, street, locality, and the elements. */
const PARTS: [string, string, string, Record<string, string>][] = [
  ['87-15', '115th St', 'Richmond Hill, NY 11418', { HNO: '87-15', RD: '115TH' }],
  ['12 1/2', 'Elm St', HERTFORD, { HNO: '12', HNS: '1/2' }],
  ['N6W23001', 'Bluemound Rd', 'Waukesha, WI 53188', { HNP: 'N6W', HNO: '23001' }],
  ['1', 'US Hwy 17 S', HERTFORD, { RD: 'US HWY 17', POD: 'SOUTH' }],
  [
    '55',
    'rue Sainte-Catherine Est',
    'Montréal, QC H2X 1K4',
    { STP: 'RUE', RD: 'SAINTE CATHERINE', POD: 'E', A3: 'MONTREAL' },
  ],
  ['3', '10e Avenue', 'Sutton, QC J0E 2K0', { RD: '10E', STS: 'AV' }],
]

for (const [number, street, where, wanted] of PARTS) {
  test(`${number} ${street} is ${JSON.stringify(wanted)}`, () => {
    const elements = civicElements({ address: addressOf(number, street, where), name: '' })
    const found = Object.fromEntries(elements)
    for (const [name, value] of Object.entries(wanted)) assert.equal(found[name], value, name)
    const places = elements.map(([name]) => ORDER.indexOf(name))
    assert.ok(!places.includes(-1))
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  })
}

test('where the 911 community is not the postal city, both are included', () => {
  const address = addressOf(1, 'Oak St', 'Bartlett, TN 38133')
  const found = Object.fromEntries(civicElements({ address, name: '', community: 'MEMPHIS' }))
  assert.equal(found['A3'], 'MEMPHIS')
  assert.equal(found['PCN'], 'BARTLETT')
})

test('units without their own element are in LOC', () => {
  const address = { ...addressOf(1, 'Oak St', HERTFORD), unit: { type: 'Penthouse', id: '2' } } as const
  const found = Object.fromEntries(civicElements({ address, name: '' }))
  assert.equal(found['LOC'], 'Penthouse 2')
  const floor = { ...address, unit: { type: 'Floor', id: '3' } } as const
  assert.equal(Object.fromEntries(civicElements({ address: floor, name: '' }))['FLR'], '3')
})

test('names are escaped', () => {
  const address = addressOf(1, 'Oak St', HERTFORD)
  const name = `A "quoted" <b>&amp;</b> ]]> name\u0000`
  const root = parseXml(pidfLo({ address, name }, { entity: 'a&b', timestamp: '' }))
  const civic = path(root, 'tuple', 'status', 'geopriv', 'location-info', 'civicAddress')
  assert.equal(civic?.children.find((one) => one.name === 'NAM')?.text, name.replace('\u0000', ''))
  assert.equal(root.attributes.get('entity'), 'a&b')
})
