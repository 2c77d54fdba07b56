import type { FieldOption } from '../../plain.ts'

/** Options for the filters of a call-record export, without the name of the enclosing object. */
export const exportFields: Readonly<Record<string, FieldOption>> = {
  callback_url: { summary: 'Notified of every status change' },
  format: { value: 'format', summary: 'File format; csv is compressed with gzip' },
  'filter_parameters.start_call_start_time': {
    option: 'from',
    value: 'time',
    summary: 'Calls that started at or after this time: "2026-11-01 00:00:00" in UTC, or ISO 8601',
  },
  'filter_parameters.start_call_end_time': {
    option: 'to',
    value: 'time',
    summary: 'Calls that started before this time',
  },
  'filter_parameters.number_aliases': { option: 'number-alias', summary: 'Numbers with this alias' },
  'filter_parameters.number_aliases_contains': {
    option: 'number-alias-contains',
    summary: 'Numbers with this text in their alias',
  },
  'filter_parameters.destination_numbers': {
    option: 'destination',
    value: 'number',
    summary: 'Calls to this number',
  },
  'filter_parameters.callerid_numbers': { option: 'callerid', value: 'number', summary: 'Calls from this number' },
  'filter_parameters.custom_x_tags': { option: 'custom-x-tag', summary: 'Calls with this tag' },
  'filter_parameters.caller_ip': {
    option: 'caller-ip',
    value: 'address',
    summary: 'Calls from this address or CIDR block',
  },
  'filter_parameters.duration_greater_than': {
    option: 'duration-greater-than',
    value: 'seconds',
    summary: 'Calls longer than this',
  },
  'filter_parameters.duration_less_than': {
    option: 'duration-less-than',
    value: 'seconds',
    summary: 'Calls shorter than this',
  },
  'filter_parameters.cost_greater_than': {
    option: 'cost-greater-than',
    value: 'dollars',
    summary: 'Calls that cost more than this',
  },
  'filter_parameters.cost_less_than': {
    option: 'cost-less-than',
    value: 'dollars',
    summary: 'Calls that cost less than this',
  },
  'filter_parameters.destination_countries_included': {
    option: 'country',
    value: 'code',
    summary: 'Calls to this country (two-letter code)',
  },
  'filter_parameters.destination_countries_excluded': {
    option: 'not-country',
    value: 'code',
    summary: 'Exclude calls to this country',
  },
  'filter_parameters.tollfree_only': { option: 'tollfree-only', summary: 'Only calls to toll-free numbers' },
  'filter_parameters.direction': { option: 'direction', value: 'direction', summary: 'Only calls in this direction' },
  'filter_parameters.exclude_cancelled': { option: 'exclude-cancelled', summary: 'Exclude canceled calls' },
  'filter_parameters.destination_prefix': {
    option: 'destination-prefix',
    value: 'digits',
    summary: 'Calls to numbers with this prefix',
  },
  'filter_parameters.callerid_prefix': {
    option: 'callerid-prefix',
    value: 'digits',
    summary: 'Calls from numbers with this prefix',
  },
}
