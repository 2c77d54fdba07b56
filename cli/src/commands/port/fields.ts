import { cnamIds, e911Ids, routeIds } from '../../complete-ids.ts'
import type { FieldOption } from '../../plain.ts'

/** The details of an order, for every verb that takes them. */
export const orderFields: Readonly<Record<string, FieldOption>> = {
  numbers: { option: 'number', value: 'number', summary: 'A number to be ported, such as +12065550100' },
  billing_name: { summary: 'First and last name as on the bill of the losing carrier' },
  provider: { summary: 'The losing carrier' },
  street: { summary: 'Service address as on the bill' },
  usage_type: { value: 'type', summary: 'What the numbers are used for' },
  company: { summary: 'Company; required for Business' },
  provider_account: { summary: 'Account number at the losing carrier' },
  billing_number: { summary: 'Telephone number that is billed for the account' },
  pin: { summary: 'PIN of the account at the losing carrier' },
  last_4_ssn: { summary: 'Last four digits of the social security number' },
  desired_completion_date: { value: 'date', summary: 'A business day within 30 days, YYYY-MM-DD' },
  enable_cnam_lookups: { summary: 'Look up the names of callers to the numbers' },
  status_url: { value: 'url', summary: 'Is notified of every change of status' },
  alias: { summary: 'Your name for the order' },
  'loa_details.email': { option: 'loa-email', summary: 'E-mail address for the Letter of Agency' },
  'loa_details.cc': { option: 'loa-cc', summary: 'Further e-mail addresses for it' },
  'presets.alias': { option: 'preset-alias', summary: 'Alias that the numbers get' },
  'presets.cnam_id': { option: 'preset-cnam', summary: 'Caller-ID name that they get', complete: cnamIds },
  'presets.e911_id': { option: 'preset-e911', summary: 'Emergency address that they get', complete: e911Ids },
  'presets.primary_route_id': { option: 'preset-primary-route', summary: 'Their voice route', complete: routeIds },
  'presets.failover_route_id': {
    option: 'preset-failover-route',
    summary: 'Their failover voice route',
    complete: routeIds,
  },
}
