import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf } from './columns.ts'
import { Gazetteer } from './gazetteer.ts'
import { asItSounds, distance, restyled, withTypo } from './mistakes.ts'
import { Random } from './random.ts'
import { contains, Source } from './source.ts'
import { isCountySpelling, numberKey, streetKey, streetOf, streetWords, townKey } from './street-text.ts'

test('spellings of one street, town and number are equal, and others are not', () => {
  for (const [a, b] of [
    ['N Main St', 'north main street'],
    ['09TH ST', 'Ninth St.'],
    ['Mission Bl', 'MISSION BLVD'],
    ['Rue de l’Église Est', "RUE DE L'EGLISE E"],
    ['St. Clair Ave', 'Saint Clair AV'],
  ] as const)
    assert.equal(streetKey(a), streetKey(b))
  assert.notEqual(streetKey('Main St'), streetKey('Main Ave'))
  assert.notEqual(streetKey('N Main St'), streetKey('S Main St'))
  assert.equal(townKey('St. Louis'), townKey('SAINT LOUIS'))
  assert.equal(numberKey('12 b'), '12B')
  assert.equal(numberKey('12½'), numberKey('12 1/2'))
  for (const other of ['14-20', 'N1420', '1420A', '1420 1/2']) assert.notEqual(numberKey(other), numberKey('1420'))
})

test('the words of a street have roles, and joining them gives the same street', () => {
  const grid: [string, string, string, string, string][] = [
    ['N Main St', 'N', 'Main', 'St', ''],
    ['South St E', '', 'South', 'St', 'E'],
    ['Broadway', '', 'Broadway', '', ''],
    ['State Hwy 360', '', 'State Hwy 360', '', ''],
    ['Mission Bl', '', 'Mission', 'Bl', ''],
  ]
  for (const [street, pre, name, suffix, post] of grid) {
    const words = streetWords(street)
    assert.deepEqual([words.pre, words.name.join(' '), words.suffix, words.post], [pre, name, suffix, post])
    assert.equal(streetOf(words), street)
  }
  assert.deepEqual([isCountySpelling('BL'), isCountySpelling('BLVD'), isCountySpelling('AV')], [true, false, false])
})

test('mistakes change the street key, styles do not', () => {
  const random = new Random(1)
  for (const street of ['N Main St', 'Philadelphia Ave', '1st St SW', 'Castle Mountain Rd']) {
    for (let i = 0; i < 20; i++) assert.equal(streetKey(restyled(street, random)), streetKey(street))
    for (const kind of ['dropped', 'swapped', 'doubled', 'replaced'] as const) {
      const typed = withTypo(street, kind, random)
      if (typed !== undefined) assert.equal(distance(typed.toUpperCase(), street.toUpperCase(), 3), 1, typed)
    }
  }
  assert.notEqual(asItSounds('Philadelphia Ave', random), 'Philadelphia Ave')
  assert.equal(withTypo('12th St', 'dropped', random), undefined)
})

test('a range contains exactly the whole numbers of its side', () => {
  const records = [new Map(Object.entries({ s: 'Main St Unit 4', a: '101', b: '199', z: '27944' }))]
  const source = new Source(records, columnsOf('x', 'street=S,low=A,high=B,zip=Z'), {}, new Gazetteer())
  const [row] = source.on('MAIN STREET')
  assert.ok(row)
  for (const number of ['101', '151', '199']) assert.ok(contains(row, number), number)
  for (const number of ['99', '100', '201', '151A', '1-51', 'N151', '151 1/2'])
    assert.ok(!contains(row, number), number)
  assert.deepEqual(source.townsOf(row), ['Hertford'])
})
