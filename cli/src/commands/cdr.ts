import { operations } from '@demarc/client'
import { downloadExport } from '@demarc/client/light'
import { downloadExportToFile } from '@demarc/client/node'
import type { Context } from '../context.ts'
import { bytesText } from '../progress.ts'
import { exportIds } from '../complete-ids.ts'
import { download } from '../files.ts'
import { exportFields } from './cdr/export-fields.ts'
import { plain } from '../plain.ts'
import { exportCalls } from './cdr/export.ts'
import { importCalls } from './cdr/import.ts'
import { reconcileCalls } from './cdr/reconcile/verb.ts'
import { verifyExport } from './cdr/verify.ts'
import type { Noun, Verb } from '../verb.ts'

/** Call records: a customer's exports. */

const export_id = { summary: 'ID of the export', complete: exportIds }

const list = plain('list', operations.listCdrExports, {
  columns: ['id', 'status', 'format', 'requested_at', 'num_calls', 'total_cost', 'expires_at'],
  fields: { status: { summary: 'Exports in this status' } },
  examples: ['cdr list', 'cdr list --status completed --ids'],
})

const get = plain('get', operations.getCdrExport, {
  arguments: { export_id },
  examples: ['cdr get 12', 'cdr get 12 --json --fields status,progress,sha256'],
})

const estimate = plain('estimate', operations.estimateCdrExport, {
  description: 'Count and cost are exact at this moment; bytes and seconds are estimates.',
  fields: exportFields,
  without: ['callback_url'],
  examples: ['cdr estimate --from "2026-11-01 00:00:00" --to "2026-12-01 00:00:00"'],
})

const summary = plain('summary', operations.summarizeCdrs, {
  fields: { group_by: { summary: 'Grouping of the calls' }, ...exportFields },
  examples: [
    'cdr summary --group-by day --timezone America/Denver --from "2026-11-01 00:00:00" --to "2026-12-01 00:00:00"',
    'cdr summary --group-by country --direction outbound --from "2026-11-01 00:00:00" --to "2026-12-01 00:00:00"',
  ],
})

const sample = plain('sample', operations.sampleCdrs, {
  columns: ['start_time', 'direction', 'callerid', 'destination', 'result', 'duration', 'total_cost'],
  fields: exportFields,
  examples: ['cdr sample --from "2026-11-01 00:00:00" --to "2026-12-01 00:00:00" --callerid 12065550100'],
})

const getFile: Verb = {
  ...download('download', operations.getCdrExportFile, {
    arguments: { export_id },
    description: 'With -o, the file’s digest is verified and an interrupted download resumes.',
    examples: ['cdr download 12 -o calls.csv.gz'],
  }),
  async run(context, input) {
    const client = await context.client()
    const export_id = input.argument('export')
    const file = input.text('output')
    if (file === undefined || file === '-') return toOutput(context, export_id)
    const progress = context.progress(`Export ${export_id}`)
    const saved = await downloadExportToFile(client, export_id, file, {
      signal: context.signal,
      on_progress: ({ bytes, total }) => progress.show(bytes / total, bytesText(bytes)),
    }).finally(() => progress.end())
    await context.remark(`Written to ${saved.path}: ${bytesText(saved.bytes)}, sha256 ${saved.sha256}.`)
  },
}

/** Verified too, but only after the last byte was written: the pipe's reader must check the exit status. */
async function toOutput(context: Context, export_id: string): Promise<void> {
  const { stream } = await downloadExport(await context.client(), export_id, { signal: context.signal })
  for await (const chunk of stream) await context.output.bytes(chunk)
}

const ingests = plain('ingests', operations.listCdrIngests, {
  fields: { outcome: { value: 'outcome', summary: 'Deliveries with rejected lines, or that ended early' } },
  columns: ['id', 'received_at', 'actor', 'bytes', 'accepted', 'duplicates', 'rejected', 'duration_ms', 'failure'],
  examples: ['cdr ingests --limit 20', 'cdr ingests --outcome rejected'],
})

const arrivals = plain('arrivals', operations.getCdrIngestSummary, {
  description:
    'Shows the time since the last delivery, the usual interval, the delay of its calls, and the last 14 days.',
  examples: ['cdr arrivals', 'cdr arrivals --json --fields quiet_s,usual_gap_s,delay_s'],
})

const refused = download('refused', operations.getRefusedCdrs, {
  arguments: { ingest_id: { name: 'ingest', summary: 'ID of the delivery' } },
  description: 'One JSON object per line: its number, the errors by field, and the original line.',
  examples: ['cdr refused 12 -o refused.ndjson'],
})

const recount = plain('recount', operations.recountCdrs, {
  fields: {
    month: { value: 'month', summary: 'The month in UTC, such as 2026-03' },
  },
  description: 'Without --account, the month must have no records left.',
  examples: ['cdr recount --account 1001 --month 2026-03'],
})

export const cdr: Noun = {
  name: 'cdr',
  summary: 'Call records: exports, files, and totals',
  verbs: [
    list,
    get,
    estimate,
    summary,
    sample,
    getFile,
    exportCalls,
    verifyExport,
    reconcileCalls,
    importCalls,
    ingests,
    arrivals,
    refused,
    recount,
  ],
}
