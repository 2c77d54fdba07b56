/**
 * The demo cast: three accounts that docs, tests, and screenshots use. Every number is invented or from the range reserved for
 * fiction (NXX 555, lines 0100–0199); addresses are from documentation ranges, hosts under `example`.
 */

export const edgeStrategies = [
  {
    name: 'us-west-or',
    description: 'Hillsboro, Oregon',
    firewall_rules: '192.0.2.32/28, 192.0.2.64-192.0.2.79',
    naptr: 'us-west-or.sip.carrier.example',
  },
  {
    name: 'us-west-wa',
    description: 'Seattle, Washington',
    firewall_rules: '192.0.2.128/27',
    naptr: 'us-west-wa.sip.carrier.example',
  },
  {
    name: 'us-east-nj',
    description: 'Newark, New Jersey',
    firewall_rules: '198.51.100.16/28, 198.51.100.40-198.51.100.47, 2001:db8:41::/64',
    naptr: 'us-east-nj.sip.carrier.example',
  },
  {
    name: 'eu-central',
    description: 'Frankfurt am Main',
    firewall_rules: '203.0.113.0/26',
    naptr: 'eu-central.sip.carrier.example',
  },
] as const

/** A dental practice: five numbers, caller ID names in each state, two voice routes. */
export const dentist = {
  name: 'Harbor Dental',
  numbers: [
    { value: '12065550100', number_type: 'longcode', alias: 'Front desk', state: 'WA', rate_center: 'SEATTLE' },
    { value: '12065550101', number_type: 'longcode', alias: 'Dr. Núñez', state: 'WA', rate_center: 'SEATTLE' },
    { value: '12065550102', number_type: 'longcode', alias: 'After hours', state: 'WA', rate_center: 'SEATTLE' },
    { value: '14255550103', number_type: 'longcode', alias: 'Bellevue office', state: 'WA', rate_center: 'BELLEVUE' },
    { value: '18005550104', number_type: 'toll-free', alias: 'Appointments', state: null, rate_center: null },
  ],
  routes: [
    { alias: 'Practice PBX', route_type: 'host', value: 'pbx.harbor-dental.example:5060', edge_strategy: 'us-west-wa' },
    { alias: 'Answering service', route_type: 'number', value: '12065550190', edge_strategy: null },
  ],
  cnams: [
    { value: 'HARBOR DENTAL', decision: 'approved' },
    { value: 'HARBOR DENTAL 2', decision: 'pending' },
    { value: 'EMERGENCY ROOM', decision: 'rejected' },
  ],
  calls: 20_000,
} as const

/** Why the carrier rejected the third name. */
export const rejection_reason = 'Names that stand for emergency services cannot be used by a private practice.'

/** A reseller with thousands of numbers for its own customers, and hundreds of past port orders. */
export const reseller = {
  name: 'Cascade Voice Partners',
  numbers: 10_000,
  /** How many of these came from port orders. */
  ported: 2_400,
  calls: 180_000,
  cnams: [
    'CASCADE VOICE',
    'LUMEN BAKERY',
    'ATLAS FREIGHT CO',
    'QUARRY GARAGE',
    'ROCHE FEED STORE',
    'HERON OPTICAL',
    'KETTLE RD CAFE',
    'ALDER PHYSIO',
    'BIRCHWOOD INN',
    'CEDAR LAW',
    'DOGWOOD VETS',
    'ELM ST BOOKS',
  ],
  routes: 24,
} as const

const trades = [
  'Bakery',
  'Garage',
  'Optical',
  'Law Office',
  'Veterinary Clinic',
  'Hardware',
  'Inn',
  'Print Shop',
] as const
const streetNames = 'Alder Birch Cedar Dogwood Elm Fir Heron Juniper Kettle Larch Maple'.split(' ')

/** A customer of the reseller: 88 different names. */
export const customerName = (i: number): string =>
  `${streetNames[i % streetNames.length] ?? ''} ${trades[i % trades.length] ?? ''}`

/** A new account without data. */
export const newcomer = { name: 'Quiet Street Books' } as const

/** Days of call history before the cast's creation. */
export const history_days = 90

/** Days between opening the first two accounts and creating the cast; no other history is older. */
export const opened_days_ago = 100

/** Numbers for sale, from the range reserved for fiction: NXX 555, lines from 0110 to 0199 that no customer has. */
export const inventory = [
  { area: '206', rate_center: 'SEATTLE', lata: '674', state: 'WA', zip: '98101', first: 110, count: 80 },
  { area: '425', rate_center: 'BELLEVUE', lata: '674', state: 'WA', zip: '98004', first: 110, count: 90 },
  { area: '253', rate_center: 'TACOMA', lata: '674', state: 'WA', zip: '98402', first: 110, count: 90 },
  { area: '971', rate_center: 'PORTLAND', lata: '672', state: 'OR', zip: '97204', first: 110, count: 90 },
  { area: '888', rate_center: '', lata: '', state: '', zip: '', first: 110, count: 90 },
] as const
