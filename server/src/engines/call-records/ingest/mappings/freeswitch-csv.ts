import type { Mapping } from './mapping.ts'

const BUILT_IN = [
  'caller_id_name',
  'caller_id_number',
  'destination_number',
  'context',
  'start_stamp',
  'answer_stamp',
  'end_stamp',
  'duration',
  'billsec',
  'hangup_cause',
  'uuid',
  'bleg_uuid',
  'accountcode',
] as const

/**
 * Maps FreeSWITCH's hangup cause (names of its switch_call_cause_t, after ITU-T Q.850) to the result of an unanswered call.
 * Other causes are failures.
 */
export const UNANSWERED_RESULTS = {
  ORIGINATOR_CANCEL: 'cancelled',
  LOSE_RACE: 'cancelled',
  PICKED_OFF: 'cancelled',
  USER_BUSY: 'busy',
  NO_ANSWER: 'no_answer',
  NO_USER_RESPONSE: 'no_answer',
  PROGRESS_TIMEOUT: 'no_answer',
  ALLOTTED_TIMEOUT: 'no_answer',
  // hung up after early media, without an answer
  NORMAL_CLEARING: 'no_answer',
} as const

/**
 * FreeSWITCH mod_cdr_csv with the template `example`, which the default configuration uses, or the built-in one. No header
 * line. Timestamps are the switch's local time, read as UTC.
 */
export const freeswitchCsv: Mapping = {
  reads: 'text/csv',
  layouts: [{ columns: [...BUILT_IN, 'read_codec', 'write_codec'] }, { columns: BUILT_IN }],
  answered: { from: ['answer_stamp'], decode: ['stamp'] },
  fields: {
    id: [{ from: ['uuid'] }],
    // the dialplan context of FreeSWITCH's default configuration for calls from the public network
    direction: [{ from: ['context'], translate: { public: 'inbound' } }, { value: 'outbound' }],
    start_time: [{ from: ['start_stamp'], decode: ['stamp'] }],
    end_time: [{ from: ['end_stamp'], decode: ['stamp'] }],
    destination: [{ from: ['destination_number'] }],
    callerid: [{ from: ['caller_id_number'] }, { value: '' }],
    result: [
      { only: 'answered', value: 'completed' },
      { from: ['hangup_cause'], translate: UNANSWERED_RESULTS },
      { value: 'failed' },
    ],
    call_fail_reason: [{ only: 'unanswered', from: ['hangup_cause'] }],
    duration: [{ from: ['duration'] }],
    billed_duration: [{ from: ['billsec'] }],
  },
}
