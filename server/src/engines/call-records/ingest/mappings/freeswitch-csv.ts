import { UNANSWERED_RESULTS } from './freeswitch-causes.ts'
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
