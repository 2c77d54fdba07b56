import type { CdrFilterInput } from '@demarc/client'

/** How the form shows each filter. The API declares which filters exist and validates their values. */

export interface Field {
  label: string
  /** `lines`: one value per line, because values may contain commas. */
  kind: 'moment' | 'lines' | 'numbers' | 'countries' | 'text' | 'amount' | 'flag' | 'direction'
  hint?: string
  placeholder?: string
  /** The command-line option. */
  option: string
}

export const fields = {
  start_call_start_time: { label: 'From', kind: 'moment', option: 'from' },
  start_call_end_time: { label: 'To', kind: 'moment', option: 'to' },
  direction: { label: 'Direction', kind: 'direction', option: 'direction' },
  destination_numbers: {
    label: 'Called numbers',
    kind: 'numbers',
    hint: 'With country code. Separate several with commas.',
    placeholder: '1 206 555 0100',
    option: 'destination',
  },
  destination_prefix: {
    label: 'Called number starts with',
    kind: 'numbers',
    hint: 'Include the country code.',
    placeholder: '1206',
    option: 'destination-prefix',
  },
  callerid_numbers: {
    label: 'Calling numbers',
    kind: 'numbers',
    hint: 'With country code. Separate several with commas.',
    placeholder: '1 206 555 0100',
    option: 'callerid',
  },
  callerid_prefix: {
    label: 'Calling number starts with',
    kind: 'numbers',
    hint: 'Include the country code.',
    placeholder: '44',
    option: 'callerid-prefix',
  },
  number_aliases: { label: 'Number alias is', kind: 'lines', hint: 'One per line.', option: 'number-alias' },
  number_aliases_contains: {
    label: 'Number alias contains',
    kind: 'lines',
    hint: 'One per line.',
    option: 'number-alias-contains',
  },
  destination_countries_included: {
    label: 'Include countries',
    kind: 'countries',
    hint: 'Two-letter codes, separated by commas.',
    placeholder: 'US, CA',
    option: 'country',
  },
  destination_countries_excluded: {
    label: 'Exclude countries',
    kind: 'countries',
    hint: 'Two-letter codes, separated by commas.',
    placeholder: 'MX',
    option: 'not-country',
  },
  duration_greater_than: { label: 'Longer than (seconds)', kind: 'amount', option: 'duration-greater-than' },
  duration_less_than: { label: 'Shorter than (seconds)', kind: 'amount', option: 'duration-less-than' },
  cost_greater_than: { label: 'Costs more than ($)', kind: 'amount', option: 'cost-greater-than' },
  cost_less_than: { label: 'Costs less than ($)', kind: 'amount', option: 'cost-less-than' },
  custom_x_tags: { label: 'Tags', kind: 'lines', hint: 'From the X-Tag header. One per line.', option: 'custom-x-tag' },
  caller_ip: {
    label: 'Caller’s IP address',
    kind: 'text',
    hint: 'One address, or a range such as 192.0.2.0/24.',
    placeholder: '192.0.2.10',
    option: 'caller-ip',
  },
  tollfree_only: { label: 'Toll-free numbers only', kind: 'flag', option: 'tollfree-only' },
  exclude_cancelled: { label: 'Exclude canceled calls', kind: 'flag', option: 'exclude-cancelled' },
} as const satisfies Record<keyof CdrFilterInput, Field>

/** The fields under *More filters*, by topic. */
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
  ['Duration and cost', ['duration_greater_than', 'duration_less_than', 'cost_greater_than', 'cost_less_than']],
  ['Other', ['custom_x_tags', 'caller_ip', 'tollfree_only', 'exclude_cancelled']],
] as const satisfies readonly (readonly [title: string, names: readonly (keyof CdrFilterInput)[]])[]
