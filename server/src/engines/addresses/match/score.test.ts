import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStreet, type StreetPlace } from '../normalize/street.ts'
import { ALIKE, indexedCandidate, likeness, typed } from './score.ts'

const US: StreetPlace = { country: 'US', state: 'NC' }

function alike(text: string, street: string): number {
  const { label, key } = parseStreet(street, US)
  return likeness(typed(text, US), indexedCandidate(label, key))
}

/** Given text, and streets from the likeliest to the least likely. */
const ORDERS: [string, ...string[]][] = [
  ['Main St', 'Main St', 'N Main St', 'Main Ave', 'Mail St', 'Oak St'],
  ['Main', 'Main St', 'N Main St', 'Mail St'],
  ['N Main St', 'N Main St', 'Main St N', 'Main St', 'S Main St'],
  ['Grove Park', 'Grove Park', 'Grove Park Dr', 'Grove St', 'Oak Dr'],
  ['12H St', '12th St', '13th St'],
  ['Luther King Blvd', 'Luther King Blvd', 'Martin Luther King Blvd', 'Main Blvd'],
  ['Lake View Dr', 'Lake View Dr', 'Lakeview Dr', 'Lakeside Dr'],
  // a missing or swapped letter is likelier than this exact letter inserted
  ['Ot St', 'To St', 'On St', 'Elm St'],
  ['Bt Dr', 'Bat Dr', 'Dt Dr', 'Elm Dr'],
  ['Q St', 'Qo St', 'B St'],
]

for (const [text, ...streets] of ORDERS) {
  test(`"${text}" matches ${streets.join(', then ')}`, () => {
    const scores = streets.map((street) => alike(text, street))
    for (let i = 1; i < scores.length; i++)
      assert.ok(
        (scores[i - 1] ?? 0) > (scores[i] ?? 0),
        `${streets[i - 1]} ${scores[i - 1]}, ${streets[i]} ${scores[i]}`,
      )
  })
}

for (const [text, street] of [
  ['Hickroy Cross Rd', 'Hickory Cross Rd'],
  ['Saimt Clair Ave', 'St Clair Ave'],
  ['Back Creej Dr', 'Back Crk Dr'],
  ['Norht Main St', 'N Main St'],
  ['Main Streey', 'Main St'],
  ['Main St Q', 'Main St N'],
  ['WHY 360', 'Hwy 360'],
  ['UTE TRK', 'Ute Trl'],
  ['Bzy St', 'Bay St'],
  ['V Avenue', 'Vw Ave'],
  ['Sr Avenue', 'Rs Ave'],
  ['Fifht Avenue', 'Fifth Avenue'],
  ['SU 931', 'US 931'],
  ['28th St Se Exr', '28th St Se Ext'],
] as const) {
  test(`the error in "${text}" leaves it like ${street}`, () => assert.ok(alike(text, street) >= 0.8))
}

for (const [text, street] of [
  ['Oak St', 'Elm St'],
  ['Ash St', 'Bay St'],
  ['Zephyr Quay', 'Main St'],
  ['County Rd 5', 'County Rd 17'],
] as const) {
  test(`"${text}" is not like ${street}`, () => assert.ok(alike(text, street) < ALIKE))
}
