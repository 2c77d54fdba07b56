import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStreet, type StreetPlace } from '../normalize/street.ts'
import { repairs } from './repairs.ts'

const US: StreetPlace = { country: 'US', state: 'NC' }
const ALBERTA: StreetPlace = { country: 'CA', state: 'AB' }
const QUEBEC: StreetPlace = { country: 'CA', state: 'QC' }

/** Locality, text with one error in a word that is not part of the name, corrected text. */
const MENDED: [StreetPlace, string, string][] = [
  [US, 'Mallow Streey', 'Mallow St'],
  [US, 'Norht Mallow St', 'N Mallow St'],
  [US, 'Mallow St Q', 'Mallow St N'],
  [US, 'SU 931', 'US 931'],
  [US, 'North U 931', 'N US 931'],
  [US, 'Olz US 931', 'Old US 931'],
  [US, 'RS 931', 'SR 931'],
  [US, 'C 931', 'CR 931'],
  [US, 'Co Rx 931', 'Co Rd 931'],
  [US, 'State Rotue 931', 'State Route 931'],
  [US, 'CN 931 North', 'NC 931 N'],
  [US, 'US 931 Nortz', 'US 931 N'],
  [US, 'Fifht Ave', '5th Ave'],
  [US, '12h St', '12th St'],
  [US, 'Strete Lane', 'Street Lane'],
  [US, 'Lake Vwe Dr', 'Lake View Dr'],
  [ALBERTA, '931 Hgihway', 'Hwy 931'],
  [ALBERTA, 'R 931', 'RR 931'],
  [ALBERTA, 'Twp Rxd 931', 'Twp Rd 931'],
  [QUEBEC, 'Chemni du Hibou', 'Chemin du Hibou'],
  [QUEBEC, 'Dvenue des Hiboux O', 'Avenue des Hiboux O'],
  [QUEBEC, 'Rue Fictive Ouets', 'Rue Fictive O'],
  [QUEBEC, '1rze Avenue', '1re Avenue'],
]

for (const [place, typed, meant] of MENDED) {
  test(`"${typed}" in ${place.state} may have been ${meant}`, () => {
    const wanted = parseStreet(meant, place).key
    const keys = repairs(typed, place).map(({ key }) => key)
    assert.ok(keys.includes(wanted), `${wanted} is none of ${keys.join(' ')}`)
  })
}

test('an error in a name is not corrected', () => {
  assert.ok(repairs('Zqxj', US).every(({ base }) => base === 'ZQXJ'))
})
