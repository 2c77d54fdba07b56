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
 * FreeSWITCH mod_cdr_csv with the template `example`, which the configuration that comes with it uses, or with the one that is built in. No
 * header line. Stamps are the switch's wall clock, taken as UTC.
 */
export const freeswitchCsv: Mapping = {
  reads: 'text/csv',
  layouts: [{ columns: [...BUILT_IN, 'read_codec', 'write_codec'] }, { columns: BUILT_IN }],
  answered: { from: ['answer_stamp'], spelt: ['stamp'] },
  fields: {
    id: [{ from: ['uuid'] }],
    // the dialplan context that the configuration that comes with FreeSWITCH has for calls from the public network
    direction: [{ from: ['context'], words: { public: 'inbound' } }, { value: 'outbound' }],
    start_time: [{ from: ['start_stamp'], spelt: ['stamp'] }],
    end_time: [{ from: ['end_stamp'], spelt: ['stamp'] }],
    destination: [{ from: ['destination_number'] }],
    callerid: [{ from: ['caller_id_number'] }, { value: '' }],
    result: [
      { only: 'answered', value: 'completed' },
      { from: ['hangup_cause'], words: UNANSWERED_RESULTS },
      { value: 'failed' },
    ],
    call_fail_reason: [{ only: 'unanswered', from: ['hangup_cause'] }],
    duration: [{ from: ['duration'] }],
    billed_duration: [{ from: ['billsec'] }],
  },
}
