import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streetEnd } from './street.ts'
import { hiddenUnit } from './unit.ts'

const find = (text: string) => hiddenUnit(text, (street) => streetEnd(street, { country: 'US', state: 'NC' }))

/** Text → street, type, identifier. */
const HIDDEN: [string, string, string, string][] = [
  ['Main St Apt 4', 'MAIN ST', 'Apartment', '4'],
  ['Main St #4', 'MAIN ST', 'Unit', '4'],
  ['Main St # 4B', 'MAIN ST', 'Unit', '4B'],
  ['Broadway Apt B', 'BROADWAY', 'Apartment', 'B'],
  ['Main St, Suite 300', 'MAIN ST', 'Suite', '300'],
  ['Main St Rear', 'MAIN ST', 'Rear', ''],
  ['Main St Upper', 'MAIN ST', 'Upper', ''],
  ['Main St 2nd Fl', 'MAIN ST', 'Floor', '2ND'],
  ['Main St Floor 3', 'MAIN ST', 'Floor', '3'],
  ['Main St Lot 5', 'MAIN ST', 'Lot', '5'],
  ['Main St Unit 12 B', 'MAIN ST', 'Unit', '12 B'],
  ['County Rd 5 Unit B', 'COUNTY RD 5', 'Unit', 'B'],
  ['County Rd 5 Rear', 'COUNTY RD 5', 'Rear', ''],
  ['1st St Side', '1ST ST', 'Side', ''],
  ['Main St No. 5', 'MAIN ST', 'Unit', '5'],
  ['Main St Number B', 'MAIN ST', 'Unit', 'B'],
  ['Main St apt4', 'MAIN ST', 'Apartment', '4'],
  ['Broadway Ste200', 'BROADWAY', 'Suite', '200'],
  ['Main St 4B', 'MAIN ST', 'Unit', '4B'],
  ['County Line Rd 4B', 'COUNTY LINE RD', 'Unit', '4B'],
  ['Market St 4B', 'MARKET ST', 'Unit', '4B'],
  ['Mill Run 4B', 'MILL RUN', 'Unit', '4B'],
  ['E South St 4B', 'E SOUTH ST', 'Unit', '4B'],
  ['Old Mill Rd N 4b', 'OLD MILL RD N', 'Unit', '4B'],
  ['Main St upstairs', 'MAIN ST', 'Upper', ''],
  ['Broadway Downstairs', 'BROADWAY', 'Lower', ''],
  ['Broadway 2nd Floor', 'BROADWAY', 'Floor', '2ND'],
  ['Main St N Bldg 7', 'MAIN ST N', 'Building', '7'],
  ['Dore St Apt', 'DORE ST', 'Apartment', ''],
  ['Main St N Suite', 'MAIN ST N', 'Suite', ''],
]

for (const [text, street, type, id] of HIDDEN) {
  test(`"${text}" contains a unit`, () => assert.deepEqual(find(text), { street, type, id }))
}

for (const text of [
  'Front St',
  'N Front St',
  'Suite Dr',
  'Rue Ste Catherine',
  'Space Center Blvd',
  'Old Trailer Park Rd',
  'Lower Sixteen Mile Rd',
  'Upper',
  'Pier 39',
  'Key Blvd',
  'W Side Ave',
  'Stop 5 Rd',
  'Holiday Park Side',
  'N RM 73',
  '1st Side',
  '1st Side R',
  'Old RM 73',
  'County Road No 5',
  'Forest Service Rd 383B',
  'Old State Hwy 4B',
  'Avenue 4B',
  'N Road 4B',
  'Broadway 4B',
  'Main St 12',
]) {
  test(`"${text}" contains no unit`, () => assert.equal(find(text), undefined))
}
