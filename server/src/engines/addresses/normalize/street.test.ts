import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Random } from '../../../../../scripts/e911-evaluate/random.ts'
import { restyled } from '../../../../../scripts/e911-evaluate/mistakes.ts'
import { parseStreet, readings, type StreetPlace } from './street.ts'
import { US_TYPES } from './types-us.ts'

const US: StreetPlace = { country: 'US', state: 'NC' }
const TEXAS: StreetPlace = { country: 'US', state: 'TX' }
const MANITOBA: StreetPlace = { country: 'CA', state: 'MB' }
const QUEBEC: StreetPlace = { country: 'CA', state: 'QC' }
const ONTARIO: StreetPlace = { country: 'CA', state: 'ON' }
const ALBERTA: StreetPlace = { country: 'CA', state: 'AB' }

/** Text, locality, and label. */
const LABELS: [string, StreetPlace, string][] = [
  ['Market Street', US, 'MARKET ST'],
  ['north main street', US, 'N MAIN ST'],
  ['N.W. 5th St.', US, 'NW 5TH ST'],
  ['N W 5th', US, 'NW 5TH'],
  ['South West Temple St', US, 'S WEST TEMPLE ST'],
  ['E St NW', US, 'E ST NW'],
  ['South Street', US, 'SOUTH ST'],
  ['East West Hwy', US, 'E WEST HWY'],
  ['West Circle', US, 'WEST CIR'],
  ['East Lake', US, 'E LAKE'],
  ['Avenue N', US, 'AVENUE N'],
  ['Avenue of the Americas', US, 'AVENUE OF THE AMERICAS'],
  ['Park Avenue', US, 'PARK AVE'],
  ['South 500 East', US, 'S 500 E'],
  ['US Highway 301 South', US, 'US HWY 301 S'],
  ['U.S. 17', US, 'US HWY 17'],
  ['CR42', US, 'COUNTY RD 42'],
  ['Co Rd N', US, 'COUNTY RD N'],
  ['State Highway 294', US, 'STATE HWY 294'],
  ['NC 45', US, 'NC 45'],
  ['United States Highway 931 Business', US, 'US HWY 931 BUS'],
  ['County State Aid Highway 12', US, 'CSAH 12'],
  ['Farm to Market Road 1960 W', TEXAS, 'FM 1960 W'],
  ['RR 620 S', TEXAS, 'RANCH RD 620 S'],
  ['I-95', US, 'INTERSTATE 95'],
  ['Old US 17 Rd', US, 'OLD US 17 RD'],
  ['B 1/4 Rd', US, 'B 1/4 RD'],
  ["O'Brien St", US, 'OBRIEN ST'],
  ["L'Enfant Plaza SW", US, 'LENFANT PLZ SW'],
  ['Dempsey-White Lane', US, 'DEMPSEY WHITE LN'],
  ['ST MARYS ROAD', MANITOBA, 'ST MARYS RD'],
  ['Maplewood Trail', MANITOBA, 'MAPLEWOOD TRAIL'],
  ['Avenue Road', ONTARIO, 'AVENUE RD'],
  ['Hwy 7 E', ONTARIO, 'HWY 7 E'],
  ['RR 31', ALBERTA, 'RANGE RD 31'],
  ['rue Sainte-Catherine Est', QUEBEC, 'RUE SAINTE CATHERINE E'],
  ['boul. René-Lévesque O', QUEBEC, 'BOUL RENE LEVESQUE O'],
  ['10e Avenue', QUEBEC, '10E AV'],
  ['Avenue du Parc', QUEBEC, 'AV DU PARC'],
  ['rue du Nord', QUEBEC, 'RUE DU NORD'],
  ['Chemin de la Côte-des-Neiges', QUEBEC, 'CH DE LA COTE DES NEIGES'],
  ['Côte Saint-Luc Road', QUEBEC, 'COTE SAINT LUC RD'],
  ['Place Ville Marie', QUEBEC, 'PLACE VILLE MARIE'],
  ['Montée Masson', QUEBEC, 'MONTEE MASSON'],
  ['Petite Allée Est', QUEBEC, 'PETITE ALLEE E'],
  ['Grand Sentier Ouest', QUEBEC, 'GRAND SENTIER O'],
  ['Hickory Estates', ONTARIO, 'HICKORY ESTATE'],
  ['RM 73 N', TEXAS, 'RANCH RD 73 N'],
]

for (const [text, place, label] of LABELS) {
  test(`"${text}" in ${place.state} has the label ${label}, which parses to the same street`, () => {
    const street = parseStreet(text, place)
    assert.equal(street.label, label)
    const again = parseStreet(label, place)
    assert.equal(again.key, street.key)
    assert.equal(again.label, label)
  })
}

const SAME: [StreetPlace, string, ...string[]][] = [
  [US, 'Market Street', 'MARKET ST', 'market st.', 'Market  Strt'],
  [US, 'Fifth Avenue', '5th Ave', '5TH AV'],
  [US, 'Twenty-First Street', '21st St', 'TWENTY FIRST ST'],
  [US, 'Saint Clair Avenue', 'St. Clair Ave', 'ST CLAIR AVE', 'Street Clair Avenue'],
  [US, 'Castle Mountain Rd', 'Castle Mtn Rd'],
  [US, 'Doctor Martin Luther King Junior Blvd', 'Dr. Martin Luther King Jr Boulevard'],
  [US, 'County Road 42', 'CR 42', 'Co Rd 42', 'County Hwy 42'],
  [US, 'State Route 5', 'SR 5', 'State Hwy 5', 'ST RT 5'],
  [US, 'US Highway 12', 'U.S. 12', 'US Route 12', 'U S Hwy 12', 'United States Highway 12'],
  [US, 'County Trunk Highway TT', 'CTH TT', 'County Road TT'],
  [US, 'County State Aid Highway 12', 'CSAH 12'],
  [US, 'Private Road 912', 'Pvt Rd 912'],
  [US, 'CR 12.5', 'County Road 12.5', 'C R 12.5'],
  [US, 'CR 12 1/2', 'County Rd 12½'],
  [{ country: 'US', state: 'NY' }, 'NYS Route 912', 'State Rte 912'],
  [US, 'Dr. M.L. Mallow Jr. Blvd', 'DR M L MALLOW JR BLVD'],
  [US, '110th St', 'One Hundred Tenth Street', 'ONE HUNDRED AND TENTH ST'],
  [US, '121st St', 'One Hundred Twenty-First Street'],
  [US, '300th Ave', 'Three Hundredth Avenue'],
  [US, 'No. 912 Rd', 'Number 912 Road'],
  [ONTARIO, '7 Hwy', 'Highway 7'],
  [QUEBEC, 'RUE SHERBROOKE O', 'Sherbrooke Street West', 'rue Sherbrooke Ouest', 'SHERBROOKE ST W'],
  [QUEBEC, "Rue de l'Église", 'RUE DE L EGLISE', 'rue de l’église'],
  [QUEBEC, '1re Avenue', 'Première Avenue', '1er avenue'],
  [QUEBEC, '5e Rang', 'Cinquième Rang', '5ieme rang'],
  [QUEBEC, '4e Rang E', '4e Rang Est', '4e Rang East'],
  [QUEBEC, 'Rue Fictive O', 'rue Fictive Ouest', 'RUE FICTIVE WEST'],
  [QUEBEC, 'Route 913 O', 'Rte 913 Ouest', 'Route 913 West'],
  [QUEBEC, 'Petite Allée E', 'PETITE ALLEE EST'],
  [US, 'Avenida Fictiva', 'AVE FICTIVA'],
]

for (const [place, first, ...others] of SAME) {
  test(`"${first}" is also ${others.map((other) => `"${other}"`).join(', ')}`, () => {
    for (const other of others) assert.equal(parseStreet(other, place).key, parseStreet(first, place).key, other)
  })
}

const DIFFERENT: [string, string][] = [
  ['Park Rd', 'Parks Rd'],
  ['N Main St', 'S Main St'],
  ['Main St', 'Main Ave'],
  ['Lakeview Dr', 'Lake View Dr'],
  ['12th St', '12 St'],
  ['Old US 17 Rd', 'US 17'],
  ['Spring Rd', 'Springs Rd'],
]

for (const [one, other] of DIFFERENT) {
  test(`"${one}" is not "${other}"`, () => {
    assert.notEqual(parseStreet(one, US).key, parseStreet(other, US).key)
  })
}

test('two directions at the start have a second reading', () => {
  for (const [text, other] of [
    ['North West 5th St', 'NW 5th St'],
    ['N W Temple St', 'N West Temple St'],
  ] as const) {
    const keys = parseStreet(text, US).other_readings.map(({ key }) => key)
    assert.deepEqual(keys, [parseStreet(other, US).key])
  }
})

test('a name that ends in a type word has a reading without a type', () => {
  const keys = readings('Grove Park', US).map(({ key }) => key)
  assert.deepEqual(keys, ['GROVE|PARK||', 'GROVE PARK|||'])
})

test('a missing type between a name and a direction is one of the readings', () => {
  const keys = readings('S NW', US).map(({ key }) => key)
  assert.ok(keys.includes('SOUTH|||NW'), keys.join())
})

test('all 202 suffixes of Publication 28 are known by their abbreviation and their full word', () => {
  const lines = US_TYPES.trim().split('\n')
  assert.equal(lines.length, 202)
  for (const [id = '', full = ''] of lines.map((line) => line.split(' '))) {
    assert.equal(parseStreet(`Zebra ${id}`, US).type, id)
    assert.equal(parseStreet(`Zebra ${full}`, US).type, id)
  }
})

/** Generated streets, without combinations that do not occur. */
const plausible = fc
  .record({
    pre: fc.constantFrom('', '', '', 'N', 'SOUTH', 'NE', 'W'),
    name: fc.constantFrom(
      'MAIN',
      '5TH',
      'TWENTY FIRST',
      "O'BRIEN",
      'ST CLAIR',
      'MARTIN LUTHER KING JR',
      'TWO CREEKS',
      'LAKE VIEW',
      'A',
      '101',
      'CASTLE MNT ESTS',
      'GROVE PARK',
      'B 1/4',
      'HICKORY CROSS',
    ),
    type: fc.constantFrom(
      '',
      ...US_TYPES.trim()
        .split('\n')
        .flatMap((line) => line.split(' ').slice(0, 2)),
    ),
    post: fc.constantFrom('', '', '', 'N', 'EAST', 'SW'),
  })
  .map(({ pre, name, type, post }) => [pre, name, type, post].filter(Boolean).join(' '))

test('the label of any street parses to that street', () => {
  fc.assert(
    fc.property(plausible, fc.constantFrom(US, TEXAS, ONTARIO, QUEBEC), (text, place) => {
      const street = parseStreet(text, place)
      assert.equal(parseStreet(street.label, place).key, street.key)
    }),
    { numRuns: 2_000 },
  )
})

test('style makes no difference to any street', () => {
  fc.assert(
    fc.property(plausible, fc.integer(), (text, seed) => {
      const other = restyled(text, new Random(seed))
      assert.equal(parseStreet(other, US).key, parseStreet(text, US).key, other)
    }),
    { numRuns: 2_000 },
  )
})

test('parsing never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.constantFrom(US, QUEBEC, TEXAS), (text, place) => {
      const street = parseStreet(text, place)
      assert.match(street.key, /\|.*\|.*\|/)
      assert.ok(readings(text, place).length >= 1)
    }),
    { numRuns: 2_000 },
  )
})
