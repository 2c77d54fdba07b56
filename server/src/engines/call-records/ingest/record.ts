/** A record's values become a call record, or every fault in them is told at once. Pure. */

import { CDR_DIRECTIONS, CDR_RESULTS, type CdrRecord } from '../types.ts'
import type { Faults } from './faults.ts'
import type { Values } from './fields.ts'
import { LIMITS } from './limits.ts'
import {
  account,
  address,
  country,
  moment,
  money,
  requiredSeconds,
  requiredText,
  seconds,
  sipCode,
  tags,
  text,
  word,
} from './values.ts'

/**
 * Checks every field and adds what is wrong to `faults`; only without faults is the answer a record. Written out by hand where the rest of
 * the service has Zod: this runs once for every call there ever was, in the process that answers the API, and the same shape in Zod took
 * four times as long as this, and longer than reading, checking and handing over a record take together.
 */
export function readRecord(values: Values, faults: Faults): CdrRecord {
  const start_ms = moment('start_time', values.start_time, faults)
  const end_ms = moment('end_time', values.end_time, faults)
  if (end_ms < start_ms) faults.add('end_time', 'Must not be before start_time.')
  return {
    account_id: account(values.account_id, faults),
    id: requiredText('id', values.id, LIMITS.id_chars, faults),
    direction: word('direction', values.direction, CDR_DIRECTIONS, faults),
    start_time: new Date(start_ms),
    end_time: new Date(end_ms),
    destination: requiredText('destination', values.destination, LIMITS.text_chars, faults),
    number_alias: text('number_alias', values.number_alias, LIMITS.text_chars, faults),
    callerid: requiredText('callerid', values.callerid, LIMITS.text_chars, faults),
    destination_name: text('destination_name', values.destination_name, LIMITS.text_chars, faults),
    destination_country: country('destination_country', values.destination_country, faults),
    callerid_country: country('callerid_country', values.callerid_country, faults),
    line_information: text('line_information', values.line_information, LIMITS.text_chars, faults),
    result: word('result', values.result, CDR_RESULTS, faults),
    call_fail_sip_code: sipCode('call_fail_sip_code', values.call_fail_sip_code, faults),
    call_fail_reason: text('call_fail_reason', values.call_fail_reason, LIMITS.text_chars, faults),
    duration: requiredSeconds('duration', values.duration, faults),
    billed_duration: requiredSeconds('billed_duration', values.billed_duration, faults),
    rate: money('rate', values.rate, faults),
    first_increment: seconds('first_increment', values.first_increment, faults),
    subsequent_increment: seconds('subsequent_increment', values.subsequent_increment, faults),
    cost_subtotal: money('cost_subtotal', values.cost_subtotal, faults),
    connect_fee: money('connect_fee', values.connect_fee, faults),
    usf_fee: money('usf_fee', values.usf_fee, faults),
    ccrf: money('ccrf', values.ccrf, faults),
    cnam_lookup_fee: money('cnam_lookup_fee', values.cnam_lookup_fee, faults),
    custom_x_tag: tags('custom_x_tags', values.custom_x_tags, faults),
    customer_ip: address('customer_ip', values.customer_ip, faults),
  }
}
