import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cityKey, cityLabel } from './city.ts'

for (const [one, other] of [
  ['St. Louis', 'SAINT LOUIS'],
  ['Montréal', 'montreal'],
  ['City of Winnipeg', 'Winnipeg'],
  ['Ville de Québec', 'QUEBEC'],
  ["Coeur d'Alene", 'COEUR D ALENE'],
  ['Mt. Vernon', 'Mount Vernon'],
  ['Winston-Salem', 'WINSTON SALEM'],
  ['Ft Worth', 'Fort Worth'],
  ['N Las Vegas', 'North Las Vegas'],
] as const) {
  test(`${one} is ${other}`, () => assert.equal(cityKey(one), cityKey(other)))
}

test('the label of a city is in capitals without accents', () => {
  assert.equal(cityLabel("L'Île-Perrot"), "L'ILE-PERROT")
  assert.equal(cityLabel('St. Louis'), 'ST LOUIS')
  assert.equal(cityLabel('  Sault  Ste.  Marie '), 'SAULT STE MARIE')
})
