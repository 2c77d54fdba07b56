import type { Deps } from '../platform/context.ts'
import { timeText } from '../platform/clock.ts'
import { limits } from './rules.ts'
import type { AttemptRow, DocumentRow } from './store.ts'

/** The subject of signed links to documents. */
export const linkSubject = 'portorder-file'

const filePath = ({ port_order_id, id }: Pick<DocumentRow, 'port_order_id' | 'id'>) =>
  `/v2/portorders/${port_order_id}/files/${id}`

export function fileResource(deps: Deps, row: DocumentRow, attempts: readonly AttemptRow[]) {
  return {
    type: 'portorder-file' as const,
    id: row.id,
    attributes: {
      filename: row.url ?? row.name,
      file: row.name,
      original_url: row.original_url ?? '',
      status: row.status,
      source: row.source,
      failure_reason: row.failure_reason,
      bytes: row.bytes === null ? null : Number(row.bytes),
      sha256: row.sha256,
      media_type: row.media_type,
      download_url: downloadUrl(deps, row),
      created_at: timeText(row.created_at),
      finished_at: timeText(row.finished_at),
      next_attempt_at: timeText(row.next_attempt_at),
      attempts: attempts.map((a) => ({
        number: a.number,
        started_at: timeText(a.started_at),
        finished_at: timeText(a.finished_at),
        outcome: a.outcome,
        response_status: a.response_status,
        failure_reason: a.failure_reason,
      })),
    },
    links: { self: deps.public_url + filePath(row) },
  }
}

/** `{data, links}` of one document. */
export function fileDocument(deps: Deps, row: DocumentRow, attempts: readonly AttemptRow[]) {
  const data = fileResource(deps, row, attempts)
  return { data, links: data.links }
}

/** A signed link to the document. It includes the digest, so it is valid for these bytes only. */
function downloadUrl(deps: Deps, row: DocumentRow): string | null {
  if (row.sha256 === null) return null
  const expires_at = new Date(deps.clock.now().getTime() + limits.link_life_h * 3_600_000)
  const { account_id, id, sha256: digest } = row
  const params = deps.links.signLink({ account_id, subject: linkSubject, id, expires_at, digest })
  return `${deps.public_url}${filePath(row)}/content?${new URLSearchParams({ ...params }).toString()}`
}
