import { e911Levels, e911Validations } from '@demarc/client'
import type { Deps } from '../../platform/context.ts'
import { timeText } from '../../platform/clock.ts'
import type { ValidationRow } from './store.ts'

/** A bulk validation as responses show it. */

/** The subject of signed links to the result. */
export const validationSubject = 'e911_validation'

const validationPath = (id: string) => `/v2/e911s/validations/${id}`

/** The media type of an upload without parameters; the operation accepts only these two. */
export const mediaTypeOf = (content_type: string | undefined): ValidationRow['media_type'] =>
  content_type?.toLowerCase().startsWith('text/csv') === true ? 'text/csv' : 'application/x-ndjson'

/** `{data, links}` of one validation. */
export function validationDocument(deps: Deps, row: ValidationRow) {
  const data = {
    type: validationSubject,
    id: row.id,
    attributes: {
      status: row.status,
      failure_reason: row.failure_reason,
      created_at: timeText(row.created_at),
      expires_at: timeText(row.expires_at),
      progress: row.progress,
      rows: row.row_count,
      verdicts: Object.fromEntries(
        e911Validations.e911Verdicts.map((verdict) => [verdict, row.verdicts[verdict] ?? 0]),
      ),
      levels: Object.fromEntries(e911Levels.map((level) => [level, row.levels[level] ?? 0])),
      download_url: downloadUrl(deps, row),
      sha256: row.sha256,
      bytes: row.bytes === null ? null : Number(row.bytes),
    },
    links: { self: deps.public_url + validationPath(row.id) },
  } as const
  return { data, links: data.links }
}

/** A signed link to the file until it expires. */
function downloadUrl(deps: Deps, row: ValidationRow): string | null {
  const { sha256, expires_at, expired_at, account_id, id } = row
  if (sha256 === null || expires_at === null || expired_at !== null || expires_at <= deps.clock.now()) return null
  const params = deps.links.signLink({ account_id, subject: validationSubject, id, expires_at })
  return `${deps.public_url}${validationPath(id)}/file?${new URLSearchParams({ ...params }).toString()}`
}
