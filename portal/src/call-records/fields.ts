import type { CdrFilterInput } from '@demarc/client'

/** How each filter is asked for. The API's declaration says which there are, and the API says what is wrong with a value. */

export interface Field {
  label: string
  /** `lines`: texts that may have commas. */
  kind: 'moment' | 'lines' | 'numbers' | 'countries' | 'text' | 'amount' | 'flag' | 'direction'
  hint?: string
  placeholder?: string
  /** Of the command line. */
  option: string
}

export const fields = {
  start_call_start_time: { label: 'From', kind: 'moment', option: 'from' },
  start_call_end_time: { label: 'Until', kind: 'moment', option: 'to' },
  direction: { label: 'Direction', kind: 'direction', option: 'direction' },
  destination_numbers: {
    label: 'Called numbers',
    kind: 'numbers',
    hint: 'With country code; several with commas.',
    placeholder: '1 206 555 0100',
    option: 'destination',
  },
  destination_prefix: {
    label: 'Called number begins with',
    kind: 'numbers',
    hint: 'Digits from the country code on.',
    placeholder: '1206',
    option: 'destination-prefix',
  },
  callerid_numbers: {
    label: 'Calling numbers',
    kind: 'numbers',
    hint: 'With country code; several with commas.',
    placeholder: '1 206 555 0100',
    option: 'callerid',
  },
  callerid_prefix: {
    label: 'Calling number begins with',
    kind: 'numbers',
    hint: 'Digits from the country code on.',
    placeholder: '44',
    option: 'callerid-prefix',
  },
  number_aliases: { label: 'Number alias is', kind: 'lines', hint: 'One a line.', option: 'number-alias' },
  number_aliases_contains: {
    label: 'Number alias contains',
    kind: 'lines',
    hint: 'One a line.',
    option: 'number-alias-contains',
  },
  destination_countries_included: {
    label: 'To these countries',
    kind: 'countries',
    hint: 'Codes of two letters, with commas.',
    placeholder: 'US, CA',
    option: 'country',
  },
  destination_countries_excluded: {
    label: 'Not to these countries',
    kind: 'countries',
    hint: 'Codes of two letters, with commas.',
    placeholder: 'MX',
    option: 'not-country',
  },
  duration_greater_than: { label: 'Longer than, seconds', kind: 'amount', option: 'duration-greater-than' },
  duration_less_than: { label: 'Shorter than, seconds', kind: 'amount', option: 'duration-less-than' },
  cost_greater_than: { label: 'Costs more than, dollars', kind: 'amount', option: 'cost-greater-than' },
  cost_less_than: { label: 'Costs less than, dollars', kind: 'amount', option: 'cost-less-than' },
  custom_x_tags: { label: 'Tags', kind: 'lines', hint: 'Of the X-Tag header; one a line.', option: 'custom-x-tag' },
  caller_ip: {
    label: 'Caller’s IP address',
    kind: 'text',
    hint: 'One address, or a range such as 192.0.2.0/24.',
    placeholder: '192.0.2.10',
    option: 'caller-ip',
  },
  tollfree_only: { label: 'Only calls to toll-free numbers', kind: 'flag', option: 'tollfree-only' },
  exclude_cancelled: { label: 'Without cancelled calls', kind: 'flag', option: 'exclude-cancelled' },
} as const satisfies Record<keyof CdrFilterInput, Field>

/** The fields below *More filters*, by what they are about. */
export const groups = [
  [
    'Numbers',
    [
      'destination_numbers',
      'destination_prefix',
      'callerid_numbers',
      'callerid_prefix',
      'number_aliases',
      'number_aliases_contains',
    ],
  ],
  ['Countries', ['destination_countries_included', 'destination_countries_excluded']],
  ['Length and cost', ['duration_greater_than', 'duration_less_than', 'cost_greater_than', 'cost_less_than']],
  ['The rest', ['custom_x_tags', 'caller_ip', 'tollfree_only', 'exclude_cancelled']],
] as const satisfies readonly (readonly [title: string, names: readonly (keyof CdrFilterInput)[]])[]
