import {
  type CastPortOrder,
  order,
  accept,
  comment,
  complete,
  reject,
  sign,
  step,
  submit,
  uploadBill,
} from './port-order-steps.ts'

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
  status_url: 'https://hooks.harbor-dental.example/port-orders',
} as const

/** Harbor Dental takes over a practice in Friendship, whose lines are ported one after another. */
export const ofDentist: readonly Omit<CastPortOrder, 'account'>[] = [
  {
    days_ago: 32,
    time: '09:05',
    attributes: { ...practice, alias: 'Friendship: main lines', numbers: ['+16085550110', '+16085550111'] },
    preset_alias: 'Friendship practice',
    orders: [
      order(
        'Completed',
        step(32, '09:12', uploadBill('Lakeview bill.txt')),
        step(32, '09:15', comment('Please port both lines in the morning: the practice opens at nine.')),
        step(32, '09:30', sign('Owner')),
        step(32, '14:20', submit),
        step(31, '10:40', accept(-26, 'The losing carrier agreed to both lines on one day.')),
        step(26, '08:20', complete),
      ),
    ],
  },
  {
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
      order(
        'Rejected',
        step(12, '15:10', uploadBill('Lakeview bill, Westfield.txt')),
        step(12, '15:25', sign('Owner')),
        step(11, '09:10', submit),
        step(10, '11:45', reject('account_number_mismatch', 'No account LV-20471. Check the order of the digits.')),
        step(9, '16:30', comment('We have asked the previous owner for the latest bill.')),
      ),
    ],
  },
  {
    days_ago: 6,
    time: '10:00',
    attributes: { ...practice, alias: 'Friendship: fax and alarm', numbers: ['+16085550112', '+16085550113'] },
    preset_alias: 'Friendship fax',
    orders: [
      order(
        'Accepted',
        step(6, '10:08', uploadBill('Lakeview bill.txt')),
        step(5, '09:00', sign('Owner')),
        step(5, '15:00', submit),
        step(4, '11:10', accept(4)),
        step(2, '16:00', accept(5, 'The losing carrier postponed the date by a day.')),
      ),
    ],
  },
  {
    days_ago: 3,
    time: '12:20',
    attributes: { ...practice, alias: 'Recall line', numbers: ['+18885550115'] },
    orders: [order('Pending', step(3, '12:24', comment('To be signed when Dr. Núñez is back.')))],
  },
  {
    days_ago: 2,
    time: '14:40',
    attributes: {
      ...practice,
      alias: 'Emergency mobile',
      numbers: ['+16085550116'],
      provider: 'Simulated Prairie Wireless',
      provider_account: 'PW-70077',
      pin: '8812',
    },
    orders: [
      order(
        'Rejected',
        step(2, '14:50', sign('Owner')),
        step(1, '09:30', submit),
        step(1, '10:40', reject('pin_mismatch', 'The PIN is not the one that we gave out for this port.')),
      ),
    ],
  },
  {
    days_ago: 2,
    time: '15:00',
    attributes: { ...practice, alias: 'Hygienist', numbers: ['+16085550117'] },
    preset_alias: 'Hygienist',
    orders: [
      order(
        'Accepted',
        step(2, '15:06', uploadBill('Lakeview bill.txt')),
        step(2, '15:20', sign('Owner')),
        step(1, '09:00', submit),
        step(1, '12:30', accept(1, 'A single line: the losing carrier can do it tomorrow.')),
      ),
    ],
  },
]
