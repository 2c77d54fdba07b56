/** The fields of a call record as clients send it. docs/operate/call-records.md describes them; a test compares the two. */

type FieldKind =
  | 'account'
  | 'id'
  | 'direction'
  | 'time'
  | 'text'
  | 'country'
  | 'result'
  | 'sip_code'
  | 'seconds'
  | 'money'
  | 'tags'
  | 'address'

type Field = { kind: FieldKind; required: boolean }

const required = <K extends FieldKind>(kind: K) => ({ kind, required: true }) as const
const optional = <K extends FieldKind>(kind: K) => ({ kind, required: false }) as const

export const FIELDS = {
  account_id: required('account'),
  id: required('id'),
  direction: required('direction'),
  start_time: required('time'),
  end_time: required('time'),
  destination: required('text'),
  number_alias: optional('text'),
  /** Required, but empty when the caller withheld it. */
  callerid: required('text'),
  destination_name: optional('text'),
  destination_country: optional('country'),
  callerid_country: optional('country'),
  line_information: optional('text'),
  result: required('result'),
  call_fail_sip_code: optional('sip_code'),
  call_fail_reason: optional('text'),
  duration: required('seconds'),
  billed_duration: required('seconds'),
  rate: optional('money'),
  first_increment: optional('seconds'),
  subsequent_increment: optional('seconds'),
  cost_subtotal: optional('money'),
  connect_fee: optional('money'),
  usf_fee: optional('money'),
  ccrf: optional('money'),
  cnam_lookup_fee: optional('money'),
  custom_x_tags: optional('tags'),
  customer_ip: optional('address'),
} as const satisfies Record<string, Field>

export type FieldName = keyof typeof FIELDS

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[]

export const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name)

export const MONEY_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].kind === 'money')

/** A record's values as sent: text or JSON values. Money sent as a JSON number is its source text. */
export type Values = { [F in FieldName]?: unknown }
