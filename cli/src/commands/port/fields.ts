import { cnamIds, e911Ids, routeIds } from '../../complete-ids.ts'
import type { FieldOption } from '../../plain.ts'

/** The details of an order, for all verbs that accept them. */
export const orderFields: Readonly<Record<string, FieldOption>> = {
  numbers: { option: 'number', value: 'number', summary: 'Number to port, such as +12065550100' },
  billing_name: { summary: 'First and last name on the losing carrier’s bill' },
  provider: { summary: 'The losing carrier' },
  street: { summary: 'Service address on the bill' },
  usage_type: { value: 'type', summary: 'Use of the numbers' },
  company: { summary: 'Company; required for Business' },
  provider_account: { summary: 'Account number at the losing carrier' },
  billing_number: { summary: 'Billing telephone number of the account' },
  pin: { summary: 'PIN of the account at the losing carrier' },
  last_4_ssn: { summary: 'Last four digits of the social security number' },
  desired_completion_date: { value: 'date', summary: 'A business day within 30 days, YYYY-MM-DD' },
  enable_cnam_lookups: { summary: 'Look up callers’ names' },
  status_url: { value: 'url', summary: 'Notified of every status change' },
  alias: { summary: 'Your name for the order' },
  'loa_details.email': { option: 'loa-email', summary: 'Email address for the Letter of Agency' },
  'loa_details.cc': { option: 'loa-cc', summary: 'Additional email addresses for the Letter of Agency' },
  'presets.alias': { option: 'preset-alias', summary: 'Alias for the numbers after porting' },
  'presets.cnam_id': {
    option: 'preset-cnam',
    summary: 'Caller ID name for the numbers after porting',
    complete: cnamIds,
  },
  'presets.e911_id': {
    option: 'preset-e911',
    summary: 'Emergency address for the numbers after porting',
    complete: e911Ids,
  },
  'presets.primary_route_id': {
    option: 'preset-primary-route',
    summary: 'Voice route for the numbers after porting',
    complete: routeIds,
  },
  'presets.failover_route_id': {
    option: 'preset-failover-route',
    summary: 'Failover voice route for the numbers after porting',
    complete: routeIds,
  },
}
