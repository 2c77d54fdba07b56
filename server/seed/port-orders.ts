import type { portOrders } from '@demarc/client'
import type * as z from 'zod'
import {
  accept,
  cancel,
  changeTo,
  comment,
  complete,
  hardCancel,
  privateComment,
  reject,
  resubmit,
  sign,
  step,
  submit,
  uploadBill,
  type Step,
} from './port-order-steps.ts'

/**
 * Port orders of the cast. Between them they are in every status. Orders with a provider whose name begins with `Simulated `
 * are those whose next step can be tried out by signing, correcting, or moving the clock; the others wait for the operator.
 */

export interface CastPortOrder {
  account: 'dentist' | 'reseller'
  /** When it was created: business days before today, and a time of day in the carrier's zone. */
  days_ago: number
  time: string
  attributes: Omit<z.input<typeof portOrders.newPortOrder>, 'presets'>
  /** Applied on completion: the practice's voice route, name and E911 address, and this alias. */
  preset_alias?: string
  /** What happened to each of the orders that the request was split into, and the status that they are in. */
  orders: readonly { status: portOrders.PortOrderStatus; steps: readonly Step[] }[]
}

const practice = {
  billing_name: 'Elena Núñez',
  company: 'Harbor Dental',
  usage_type: 'Business',
  provider: 'Simulated Lakeview Telephone',
  provider_account: 'LV-20417',
  street: '318 Center St',
  city: 'Friendship',
  state: 'WI',
  zip: '53934',
  country: 'US',
} as const

/** Harbor Dental takes over a practice in Friendship, whose lines come one after another. */
const ofDentist: readonly CastPortOrder[] = [
  {
    account: 'dentist',
    days_ago: 32,
    time: '09:05',
    attributes: { ...practice, alias: 'Friendship: main lines', numbers: ['+16085550110', '+16085550111'] },
    preset_alias: 'Friendship practice',
    orders: [
      {
        status: 'Completed',
        steps: [
          step(32, '09:12', uploadBill('Lakeview bill.txt')),
          step(32, '09:15', comment('Please port both lines in the morning: the practice opens at nine.')),
          step(32, '09:30', sign('Owner')),
          step(32, '14:20', submit),
          step(31, '10:40', accept(-26, 'The losing carrier agreed to both lines on one day.')),
          step(26, '08:20', complete),
        ],
      },
    ],
  },
  {
    account: 'dentist',
    days_ago: 12,
    time: '15:02',
    attributes: {
      ...practice,
      alias: 'Westfield office',
      numbers: ['+16085550114'],
      provider_account: 'LV-20471',
      street: '142 Kettle Rd',
      city: 'Westfield',
      zip: '53964',
    },
    orders: [
      {
        status: 'Rejected',
        steps: [
          step(12, '15:10', uploadBill('Lakeview bill, Westfield.txt')),
          step(12, '15:25', sign('Owner')),
          step(11, '09:10', submit),
          step(10, '11:45', reject('account_number_mismatch', 'No account LV-20471. Check the order of the digits.')),
          step(9, '16:30', comment('We have asked the previous owner for the latest bill.')),
        ],
      },
    ],
  },
  {
    account: 'dentist',
    days_ago: 6,
    time: '10:00',
    attributes: { ...practice, alias: 'Friendship: fax and alarm', numbers: ['+16085550112', '+16085550113'] },
    preset_alias: 'Friendship fax',
    orders: [
      {
        status: 'Accepted',
        steps: [
          step(6, '10:08', uploadBill('Lakeview bill.txt')),
          step(5, '09:00', sign('Owner')),
          step(5, '15:00', submit),
          step(4, '11:10', accept(4)),
          step(2, '16:00', accept(5, 'The losing carrier moved the date by a day.')),
        ],
      },
    ],
  },
  {
    account: 'dentist',
    days_ago: 3,
    time: '12:20',
    attributes: { ...practice, alias: 'Recall line', numbers: ['+18885550115'] },
    orders: [
      {
        status: 'Pending',
        steps: [step(3, '12:24', comment('To be signed when Dr. Núñez is back.'))],
      },
    ],
  },
]

const manual = {
  usage_type: 'Business',
  provider: 'Old Mill Telephone Company',
  city: 'Friendship',
  state: 'WI',
  zip: '53934',
  country: 'US',
} as const

/** Cascade Voice Partners orders for its own customers. */
const ofReseller: readonly CastPortOrder[] = [
  {
    account: 'reseller',
    days_ago: 40,
    time: '11:00',
    attributes: {
      ...manual,
      alias: 'Roche Feed Store',
      numbers: ['+16085550141'],
      billing_name: 'Walter Quist',
      company: 'Roche Feed Store',
      provider_account: '5520',
      street: '3104 State Hwy 13 N',
    },
    orders: [
      {
        status: 'Abandoned',
        steps: [
          step(40, '11:30', sign('Manager')),
          step(39, '10:15', submit),
          step(37, '14:05', reject('service_freeze', 'The account is frozen until its contract ends.')),
          step(30, '09:40', comment('The customer stays until the contract ends.')),
          step(30, '09:42', cancel),
        ],
      },
    ],
  },
  {
    account: 'reseller',
    days_ago: 25,
    time: '08:45',
    attributes: {
      usage_type: 'Business',
      alias: 'Boulangerie du Moulin',
      numbers: ['+14505550142'],
      billing_name: 'Luc Tremblay',
      company: 'Boulangerie du Moulin',
      provider: 'Téléphone du Moulin',
      provider_account: 'M-118',
      street: '200 rue Principale N',
      city: 'Sutton',
      state: 'QC',
      zip: 'J0E 2K0',
      country: 'CA',
    },
    orders: [
      {
        status: 'Hard_canceled',
        steps: [
          step(25, '09:00', uploadBill('Facture.txt')),
          step(25, '09:20', sign('Propriétaire')),
          step(24, '10:30', submit),
          step(22, '13:15', accept(-15)),
          step(18, '15:10', comment('The bakery closes this month. Please stop the port.')),
          step(17, '09:35', hardCancel('Cancelled as requested. The losing carrier charges for it.')),
        ],
      },
    ],
  },
  {
    account: 'reseller',
    days_ago: 20,
    time: '16:10',
    attributes: {
      ...manual,
      alias: 'Quarry Garage',
      numbers: ['+16085550140'],
      billing_name: 'Nina Sorensen',
      company: 'Quarry Garage',
      provider_account: '7714',
      street: '4102 Old Mill Rd',
    },
    orders: [
      {
        status: 'Canceled',
        steps: [
          step(18, '10:02', comment('The customer stays with its carrier after all.')),
          step(18, '10:03', cancel),
        ],
      },
    ],
  },
  {
    account: 'reseller',
    days_ago: 9,
    time: '13:40',
    attributes: {
      ...manual,
      alias: 'Lumen Bakery',
      numbers: ['+16085550130'],
      billing_name: 'Ida Holm',
      company: 'Lumen Bakery',
      provider_account: '6025',
      street: '242 Larch St',
    },
    orders: [
      {
        status: 'Review',
        steps: [
          step(9, '13:50', uploadBill('Old Mill bill.txt')),
          step(9, '14:05', sign('Owner')),
          step(8, '11:00', submit),
          step(6, '10:25', reject('address_mismatch', 'The record has another house number in Larch Street.')),
          step(1, '13:55', changeTo({ street: '224 Larch St' })),
          step(1, '13:58', comment('The digits of the house number were swapped. Corrected.')),
          step(1, '14:00', resubmit),
        ],
      },
    ],
  },
  {
    account: 'reseller',
    days_ago: 2,
    time: '14:15',
    attributes: {
      ...manual,
      alias: 'Atlas Freight Co',
      numbers: ['+16085550120', '+16085550121', '+16085550122', '+18885550123'],
      billing_name: 'Samuel Reyes',
      company: 'Atlas Freight Co',
      provider_account: '3309',
      street: '2301 County Rd J',
    },
    orders: [
      {
        status: 'Submitted',
        steps: [
          step(2, '14:22', uploadBill('Old Mill bill.txt')),
          step(1, '15:10', sign('Director')),
          step(1, '16:30', submit),
        ],
      },
      {
        status: 'Processing',
        steps: [
          step(1, '15:12', sign('Director')),
          step(1, '16:34', privateComment('Waits for the RespOrg of the toll-free number.')),
        ],
      },
    ],
  },
]

export const castPortOrders: readonly CastPortOrder[] = [...ofDentist, ...ofReseller]
