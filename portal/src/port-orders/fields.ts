import { portOrderStates } from '@demarc/client/rules'
import type { PortOrderAttributes } from './words.ts'

/** The details of a port order: labels, hints, and layout in one table. */

interface DetailField {
  label: string
  hint?: string
  placeholder?: string
  /** Options, for fields that are chosen. */
  options?: readonly { value: string; label: string }[]
  /** Never displayed in full again. */
  secret?: true
  required?: true
}

const detailFields = {
  provider: {
    label: 'Losing carrier',
    hint: 'The company that bills you for these numbers.',
    required: true,
  },
  provider_account: {
    label: 'Account number',
    hint: 'As shown on the bill, including leading zeros.',
  },
  pin: { label: 'PIN', hint: 'If the carrier gave you one. Stored encrypted.', secret: true },
  billing_number: {
    label: 'Billing number',
    hint: 'The account’s main number, if different.',
  },
  usage_type: {
    label: 'Account type',
    options: [
      { value: 'Business', label: 'Business' },
      { value: 'Residential', label: 'Residential' },
    ],
    required: true,
  },
  company: { label: 'Company', hint: 'Exactly as on the bill.', required: true },
  billing_name: {
    label: 'Authorized person',
    hint: 'First and last name of the person authorized on the account.',
    required: true,
  },
  last_4_ssn: { label: 'Last four digits of the SSN', hint: 'Only if the carrier requires them.', secret: true },
  street: { label: 'Street', hint: 'The service address, with the house number.', required: true },
  street2: { label: 'Suite or floor' },
  city: { label: 'City', required: true },
  state: {
    label: 'State or province',
    options: portOrderStates.map((value) => ({ value, label: value })),
    required: true,
  },
  zip: { label: 'ZIP or postal code', required: true },
  country: {
    label: 'Country',
    options: [
      { value: 'US', label: 'United States' },
      { value: 'CA', label: 'Canada' },
    ],
    required: true,
  },
  desired_completion_date: {
    label: 'Requested date',
    hint: 'A business day within 30 days. The carrier sets the final date.',
    placeholder: '2026-12-01',
  },
  alias: { label: 'Order name', hint: 'For your reference, such as an office location.' },
} as const satisfies Record<string, DetailField>

export type DetailName = keyof typeof detailFields
export type Details = Record<DetailName, string>

/** The table with its common type. */
export const fieldOf = (name: DetailName): DetailField => detailFields[name]

export const isDetail = (name: string): name is DetailName => Object.hasOwn(detailFields, name)

const otherLabels: Readonly<Record<string, string>> = {
  numbers: 'Numbers',
  business_documents: 'Documents',
  loa: 'Letter of Agency',
  enable_cnam_lookups: 'Caller-name lookups',
  status_url: 'Status URL',
}

const presetLabels = {
  primary_route_id: 'Route',
  failover_route_id: 'Failover route',
  cnam_id: 'Caller ID name',
  e911_id: 'Emergency address',
  alias: 'Number alias',
} as const satisfies Record<keyof PortOrderAttributes['presets'], string>

/** The label of a completion preset. */
export const presetLabel = (name: keyof typeof presetLabels): string => presetLabels[name]

/** A field's label. */
export const fieldLabel = (name: string): string => (isDetail(name) ? fieldOf(name).label : (otherLabels[name] ?? name))

/** The form's sections and field order. */
export const fieldGroups = [
  {
    title: 'The losing carrier',
    names: ['provider', 'provider_account', 'pin', 'billing_number'],
  },
  {
    title: 'As shown on the bill',
    names: [
      'usage_type',
      'company',
      'billing_name',
      'last_4_ssn',
      'street',
      'street2',
      'city',
      'state',
      'zip',
      'country',
    ],
  },
  { title: 'Your preferences', names: ['desired_completion_date', 'alias'] },
] as const satisfies readonly { title: string; names: readonly DetailName[] }[]

/** All fields, in form order. */
export const detailNames: readonly DetailName[] = fieldGroups.flatMap(({ names }): readonly DetailName[] => names)

/** Object.fromEntries loses the names. */
const detailsFrom = (valueOf: (name: DetailName) => string) =>
  Object.fromEntries(detailNames.map((name) => [name, valueOf(name)])) as Details

export const noDetails: Details = { ...detailsFrom(() => ''), usage_type: 'Business', country: 'US' }

/** The form's values of an order. */
export function detailsOf({ billing_address, ...order }: PortOrderAttributes): Details {
  const values = { ...order, ...billing_address }
  return detailsFrom((name) => values[name] ?? '')
}
