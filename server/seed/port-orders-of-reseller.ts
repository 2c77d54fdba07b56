import {
  type CastPortOrder,
  order,
  accept,
  cancel,
  changeTo,
  comment,
  hardCancel,
  privateComment,
  reject,
  resubmit,
  sign,
  step,
  submit,
  uploadBill,
} from './port-order-steps.ts'

const manual = {
  usage_type: 'Business',
  provider: 'Old Mill Telephone Company',
  city: 'Friendship',
  state: 'WI',
  zip: '53934',
  country: 'US',
} as const

/** Cascade Voice Partners orders for its own customers. */
export const ofReseller: readonly Omit<CastPortOrder, 'account'>[] = [
  {
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
      order(
        'Abandoned',
        step(40, '11:30', sign('Manager')),
        step(39, '10:15', submit),
        step(37, '14:05', reject('service_freeze', 'The account is frozen until its contract ends.')),
        step(30, '09:40', comment('The customer stays until the contract ends.')),
        step(30, '09:42', cancel),
      ),
    ],
  },
  {
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
      order(
        'Hard_canceled',
        step(25, '09:00', uploadBill('Facture.txt')),
        step(25, '09:20', sign('Propriétaire')),
        step(24, '10:30', submit),
        step(22, '13:15', accept(-15)),
        step(18, '15:10', comment('The bakery closes this month. Please stop the port.')),
        step(17, '09:35', hardCancel('Canceled as requested. The losing carrier charges a fee.')),
      ),
    ],
  },
  {
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
      order(
        'Canceled',
        step(18, '10:02', comment('The customer stays with its carrier after all.')),
        step(18, '10:03', cancel),
      ),
    ],
  },
  {
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
      order(
        'Review',
        step(9, '13:50', uploadBill('Old Mill bill.txt')),
        step(9, '14:05', sign('Owner')),
        step(8, '11:00', submit),
        step(6, '10:25', reject('address_mismatch', 'The record has another house number in Larch Street.')),
        step(1, '13:55', changeTo({ street: '224 Larch St' })),
        step(1, '13:58', comment('The digits of the house number were swapped. Corrected.')),
        step(1, '14:00', resubmit),
      ),
    ],
  },
  {
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
      order(
        'Submitted',
        step(2, '14:22', uploadBill('Old Mill bill.txt')),
        step(1, '15:10', sign('Director')),
        step(1, '16:30', submit),
      ),
      order(
        'Processing',
        step(1, '15:12', sign('Director')),
        step(1, '16:34', privateComment('Waits for the RespOrg of the toll-free number.')),
      ),
    ],
  },
]
