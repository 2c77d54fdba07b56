import { UNANSWERED_RESULTS } from './freeswitch-csv.ts'
import type { Mapping } from './mapping.ts'

const DIRECTIONS = { inbound: 'inbound', outbound: 'outbound' } as const

/**
 * FreeSWITCH mod_json_cdr, one record per line. Channel variables are percent-encoded unless `encode-values` is false.
 * `callflow` is a list with the latest profile first; older versions write an object. Its values are not percent-encoded.
 */
export const freeswitchJson: Mapping = {
  reads: 'application/x-ndjson',
  answered: {
    from: ['variables.answer_uepoch', 'variables.answer_epoch', 'callflow.0.times.answered_time'],
    decode: ['epoch_us'],
  },
  fields: {
    id: [{ from: ['variables.uuid', 'callflow.0.caller_profile.uuid', 'callflow.caller_profile.uuid'] }],
    // FreeSWITCH's direction is the leg's as the switch sees it; the dialplan may set it as the account sees it
    direction: [
      { from: ['variables.call_direction'], decode: ['percent'], translate: DIRECTIONS },
      { from: ['variables.direction', 'channel_data.direction'], decode: ['percent'] },
    ],
    start_time: [
      { from: ['variables.start_uepoch', 'callflow.0.times.created_time'], decode: ['epoch_us'] },
      { from: ['variables.start_epoch'], decode: ['epoch_s'] },
      { from: ['variables.start_stamp'], decode: ['percent', 'stamp'] },
    ],
    end_time: [
      { from: ['variables.end_uepoch', 'callflow.0.times.hangup_time'], decode: ['epoch_us'] },
      { from: ['variables.end_epoch'], decode: ['epoch_s'] },
      { from: ['variables.end_stamp'], decode: ['percent', 'stamp'] },
    ],
    destination: [
      { from: ['callflow.0.caller_profile.destination_number', 'callflow.caller_profile.destination_number'] },
      { from: ['variables.sip_req_user', 'variables.sip_to_user'], decode: ['percent'] },
    ],
    callerid: [
      { from: ['callflow.0.caller_profile.caller_id_number', 'callflow.caller_profile.caller_id_number'] },
      { from: ['variables.sip_from_user'], decode: ['percent'] },
      { value: '' },
    ],
    result: [
      { only: 'answered', value: 'completed' },
      { from: ['variables.hangup_cause'], translate: UNANSWERED_RESULTS },
      { value: 'failed' },
    ],
    call_fail_sip_code: [
      { only: 'unanswered', from: ['variables.sip_term_status', 'variables.sip_invite_failure_status'] },
      {
        only: 'unanswered',
        from: ['variables.proto_specific_hangup_cause', 'variables.last_bridge_proto_specific_hangup_cause'],
        decode: ['percent', 'sip_cause'],
      },
    ],
    call_fail_reason: [{ only: 'unanswered', from: ['variables.hangup_cause'], decode: ['percent'] }],
    duration: [{ from: ['variables.duration'] }],
    billed_duration: [{ from: ['variables.billsec'] }],
    customer_ip: [
      { from: ['variables.sip_received_ip', 'variables.sip_network_ip'], decode: ['percent'] },
      { from: ['callflow.0.caller_profile.network_addr', 'callflow.caller_profile.network_addr'] },
    ],
  },
}
