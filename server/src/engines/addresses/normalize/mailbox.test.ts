import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailbox } from './mailbox.ts'
import type { StreetPlace } from './street.ts'

const US: StreetPlace = { country: 'US', state: 'NC' }
const CANADA: StreetPlace = { country: 'CA', state: 'ON' }

const MAILBOXES: [string, StreetPlace][] = [
  ['PO Box 123', US],
  ['P.O. Box 12', US],
  ['P O Box 3', US],
  ['P. O. BOX 3', US],
  ['POB 12', US],
  ['P.O.B. 12', US],
  ['POBox 12', US],
  ['Post Office Box 4', US],
  ['PO Drawer 5', US],
  ['Box 12', US],
  ['Lockbox 5', US],
  ['General Delivery', US],
  ['Gen Delivery', US],
  ['RR 2 Box 152', US],
  ['RR#2', US],
  ['R.R. 2', US],
  ['Rural Route 2', US],
  ['RFD 3', US],
  ['HC 68 Box 23A', US],
  ['HCR 1 Box 2', US],
  ['Highway Contract Route 3', US],
  ['Star Route 4', US],
  ['Star Rt Box 5', US],
  ['123 Main St PMB 12', US],
  ['PSC 802 Box 74', US],
  ['CMR 415 Box 2', US],
  ['Unit 2050 Box 4190', US],
  ['Case postale 12', CANADA],
  ['C.P. 123', CANADA],
  ['CP 12', CANADA],
  ['Boîte postale 3', CANADA],
  ['Poste restante', CANADA],
  ['Livraison générale', CANADA],
  ['Site 6 Comp 10', CANADA],
  ['RR 2', { country: 'CA', state: 'AB' }],
  ['RR 620 Box 4', { country: 'US', state: 'TX' }],
]

for (const [text, place] of MAILBOXES) {
  test(`"${text}" is a mailbox`, () => assert.ok(mailbox(text, place)))
}

const STREETS: [string, StreetPlace][] = [
  ['Box Canyon Rd', US],
  ['Box Elder Dr', US],
  ['Boxwood Ln', US],
  ['Star Rd', US],
  ['N Star Rd', US],
  ['Rural Rd', US],
  ['Postal Way', US],
  ['General Dr', US],
  ['Po River Rd', US],
  ['Drawer Ln', US],
  ['Route 9', US],
  ['CP Rd', US],
  ['RR 620 S', { country: 'US', state: 'TX' }],
  ['RR 31', { country: 'CA', state: 'AB' }],
]

for (const [text, place] of STREETS) {
  test(`"${text}" is a street`, () => assert.equal(mailbox(text, place), undefined))
}
