import { portOrderStates } from '@demarc/client/rules'
import type { PortOrderAttributes } from './words.ts'

/** The details of a port order as a form has them: one table for their labels, hints and places. */

export type DetailName =
  | 'provider'
  | 'provider_account'
  | 'pin'
  | 'billing_number'
  | 'usage_type'
  | 'company'
  | 'billing_name'
  | 'last_4_ssn'
  | 'street'
  | 'street2'
  | 'city'
  | 'state'
  | 'zip'
  | 'country'
  | 'desired_completion_date'
  | 'alias'

export type Details = Record<DetailName, string>

interface DetailField {
  label: string
  hint?: string
  placeholder?: string
  /** Chosen, not typed. */
  options?: readonly { value: string; label: string }[]
  /** Never shown again in full. */
  secret?: true
  required?: true
}

export const detailFields = {
  provider: {
    label: 'Losing carrier',
    hint: 'The company that sends the bill.',
    required: true,
  },
  provider_account: {
    label: 'Account number',
    hint: 'As on the bill, with its leading zeros.',
  },
  pin: { label: 'PIN', hint: 'If the carrier gave you one. It is stored encrypted.', secret: true },
  billing_number: {
    label: 'Billing number',
    hint: 'The main number of the account, if it is another one.',
  },
  usage_type: {
    label: 'Used by',
    options: [
      { value: 'Business', label: 'A business' },
      { value: 'Residential', label: 'A household' },
    ],
    required: true,
  },
  company: { label: 'Company', hint: 'Letter by letter as on the bill.', required: true },
  billing_name: {
    label: 'Name on the bill',
    hint: 'First and last name of who may decide about the account.',
    required: true,
  },
  last_4_ssn: { label: 'Last four digits of the SSN', hint: 'Only if the carrier asks for them.', secret: true },
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
    label: 'Wanted on',
    hint: 'A business day within 30 days; the carrier decides.',
    placeholder: '2026-12-01',
  },
  alias: { label: 'Your name for the order', hint: 'Such as the place whose numbers these are.' },
} as const satisfies Record<DetailName, DetailField>

/** The table, for what is common to all fields. */
export const fieldOf = (name: DetailName): DetailField => detailFields[name]

export const isDetail = (name: string): name is DetailName => Object.hasOwn(detailFields, name)

const otherLabels: Readonly<Record<string, string>> = {
  numbers: 'Numbers',
  business_documents: 'Documents',
  loa: 'Letter of Agency',
  enable_cnam_lookups: 'Caller-name look-ups',
  status_url: 'Status URL',
}

const presetLabels = {
  primary_route_id: 'Route',
  failover_route_id: 'Failover route',
  cnam_id: 'Caller-ID name',
  e911_id: 'Emergency address',
  alias: 'Alias of the numbers',
} as const satisfies Record<keyof PortOrderAttributes['presets'], string>

/** How something is called that is set on the numbers. */
export const presetLabel = (name: keyof typeof presetLabels): string => presetLabels[name]

/** How a field of an order is called on its pages. */
export const fieldLabel = (name: string): string => (isDetail(name) ? fieldOf(name).label : (otherLabels[name] ?? name))

/** In which sequence, and below which titles, they are asked for. */
export const fieldGroups = [
  {
    title: 'The losing carrier',
    names: ['provider', 'provider_account', 'pin', 'billing_number'],
  },
  {
    title: 'On its bill',
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
  { title: 'For you', names: ['desired_completion_date', 'alias'] },
] as const satisfies readonly { title: string; names: readonly DetailName[] }[]

/** All of them, in that sequence. */
export const detailNames: readonly DetailName[] = fieldGroups.flatMap(({ names }): readonly DetailName[] => names)

export const noDetails: Details = {
  provider: '',
  provider_account: '',
  pin: '',
  billing_number: '',
  usage_type: 'Business',
  company: '',
  billing_name: '',
  last_4_ssn: '',
  street: '',
  street2: '',
  city: '',
  state: '',
  zip: '',
  country: 'US',
  desired_completion_date: '',
  alias: '',
}

/** What of an order is in the form. */
export function detailsOf(order: PortOrderAttributes): Details {
  const { street, street2, city, state, zip, country } = order.billing_address
  return {
    provider: order.provider,
    provider_account: order.provider_account,
    pin: order.pin,
    billing_number: order.billing_number,
    usage_type: order.usage_type,
    company: order.company,
    billing_name: order.billing_name,
    last_4_ssn: order.last_4_ssn,
    street,
    street2: street2 ?? '',
    city,
    state,
    zip,
    country,
    desired_completion_date: order.desired_completion_date ?? '',
    alias: order.alias,
  }
}
