import { ROW_DIGEST, type Layout, type Mapping } from './mapping.ts'

const ALWAYS = [
  'accountcode',
  'src',
  'dst',
  'dcontext',
  'clid',
  'channel',
  'dstchannel',
  'lastapp',
  'lastdata',
  'start',
  'answer',
  'end',
  'duration',
  'billsec',
  'disposition',
  'amaflags',
] as const

/** With newcdrcolumns=yes in cdr.conf. */
const NEW = ['peeraccount', 'linkedid', 'sequence'] as const

/** `1767225600.42`, prefixed with the system's name and a dash if one is set. */
const UNIQUEID = { uniqueid: /^(?:\S+-)?\d{6,}\.\d+$/ }

/** loguniqueid and loguserfield each add a column, together or alone. */
const LAYOUTS: readonly Layout[] = [[], NEW].flatMap((more) => [
  { columns: [...ALWAYS, ...more] },
  { columns: [...ALWAYS, 'uniqueid', ...more], where: UNIQUEID },
  { columns: [...ALWAYS, 'userfield', ...more] },
  { columns: [...ALWAYS, 'uniqueid', 'userfield', ...more] },
])

/** Asterisk's cdr_csv: Master.csv, without a header line. Times are local unless usegmtime=yes, and are read as UTC. */
export const asteriskCsv: Mapping = {
  reads: 'text/csv',
  layouts: LAYOUTS,
  answered: { from: ['disposition'], translate: { ANSWERED: 'yes' } },
  fields: {
    // Calls to several phones share a uniqueid, so it does not identify a record; the row itself does.
    id: [{ join: ['uniqueid', ROW_DIGEST] }],
    // FreePBX contexts for calls from outside
    direction: [
      {
        from: ['dcontext'],
        translate: {
          'from-trunk': 'inbound',
          'from-pstn': 'inbound',
          'from-digital': 'inbound',
          'from-did-direct': 'inbound',
          'ext-did': 'inbound',
          'ext-did-0001': 'inbound',
          'ext-did-0002': 'inbound',
        },
      },
      { value: 'outbound' },
    ],
    start_time: [{ from: ['start'] }],
    end_time: [{ from: ['end'] }],
    destination: [{ from: ['dst'] }],
    callerid: [{ from: ['src'] }, { value: '' }],
    result: [
      {
        from: ['disposition'],
        translate: {
          ANSWERED: 'completed',
          'NO ANSWER': 'no_answer',
          BUSY: 'busy',
          FAILED: 'failed',
          CONGESTION: 'failed',
        },
      },
      { from: ['disposition'] },
    ],
    call_fail_reason: [{ only: 'unanswered', from: ['disposition'] }],
    duration: [{ from: ['duration'] }],
    billed_duration: [{ from: ['billsec'] }],
  },
}
