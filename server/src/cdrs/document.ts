import type { Deps } from '../platform/context.ts'
import { timeText } from '../platform/clock.ts'
import { minutesText, moneyText } from './rules.ts'
import type { ExportRow } from './store.ts'

/** The subject of a signed link to an export's file. */
export const linkSubject = 'cdrexport'

const exportPath = (id: string) => `/v2/cdrs/exports/${id}`

/** The export in responses and callbacks. */
export function exportResource(deps: Deps, row: ExportRow) {
  const money = (value: string | null) => (value === null ? null : moneyText(value))
  return {
    type: 'cdrexport' as const,
    id: row.id,
    attributes: {
      // filters first, so that none can override an attribute of the same name
      ...row.filter_parameters,
      callback_url: row.callback_url,
      status: row.status,
      failure_reason: row.failure_reason,
      download_url: downloadUrl(deps, row),
      requested_at: timeText(row.requested_at),
      created_at: timeText(row.created_at),
      expires_at: timeText(row.expires_at),
      total_cost: money(row.total_cost),
      call_subtotal: money(row.call_subtotal),
      connect_fees: money(row.connect_fees),
      cnamlookup_fees: money(row.cnamlookup_fees),
      usf_fees: money(row.usf_fees),
      ccrf: money(row.ccrf),
      billed_minutes: row.billed_seconds === null ? null : minutesText(row.billed_seconds),
      num_calls: row.num_calls === null ? null : Number(row.num_calls),
      format: row.format,
      sha256: row.sha256,
      bytes: row.bytes === null ? null : Number(row.bytes),
      progress: row.progress,
      filter_parameters: row.filter_parameters,
    },
    links: { self: deps.public_url + exportPath(row.id) },
  }
}

/** `{data, links}` of one export. */
export function exportDocument(deps: Deps, row: ExportRow) {
  const data = exportResource(deps, row)
  return { data, links: data.links }
}

/** A signed link, or null if the export has no file. */
function downloadUrl(deps: Deps, row: ExportRow): string | null {
  if (
    row.sha256 === null ||
    row.expires_at === null ||
    row.file_removed_at !== null ||
    row.expires_at <= deps.clock.now()
  )
    return null
  const params = deps.links.signLink({
    account_id: row.account_id,
    subject: linkSubject,
    id: row.id,
    expires_at: row.expires_at,
  })
  return `${deps.public_url}${exportPath(row.id)}/file?${new URLSearchParams({ ...params }).toString()}`
}
