import type { Readable } from 'node:stream'
import type { cdrs as api, Body } from '@demarc/client'
import { isHeld } from '../accounts/index.ts'
import { accountOf, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { DependencyUnavailable } from '../platform/unavailable.ts'
import { releaseFiles } from '../platform/file-references.ts'
import { enqueue } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { authorizeLink } from '../platform/link-authorization.ts'
import { invalid, notFound, problem } from '../platform/problem.ts'
import type { Storage } from '../platform/storage.ts'
import { readVerified } from '../platform/verified-files.ts'
import { withRecordsSoon } from './cold-requests.ts'
import { linkSubject } from './document.ts'
import { requireComplete } from './ledger.ts'
import { byteRange, fileName, fileType, limits, moneyText, warehouseFilter, type RangeHeaders } from './rules.ts'
import * as store from './store.ts'
import { type Warehouse, WarehouseUnavailable } from '../engines/call-records/index.ts'

/** Kinds of jobs; their key is the export's id. */
export const buildJob = 'build-cdr-export'
export const expireJob = 'expire-cdr-export'

type ExportBody = Body<typeof api.createCdrExport>

/** Throws 422 for a callback URL that can be rejected without DNS. */
export function checkCallback(outbound: Outbound, callback_url: string | undefined): void {
  const refusal = callback_url === undefined ? null : outbound.checkUrl(callback_url)
  if (!refusal) return
  const message = `callback_url: ${refusal.detail}`
  throw invalid(
    { callback_url: [refusal.detail] },
    { details: [{ detail: message, pointer: '/data/attributes/callback_url' }] },
  )
}

/**
 * Creates an export with its event and job. Throws 422 for a callback URL that is not allowed, 409 for too many exports at once, and 507 if
 * storage is full.
 */
export async function createExport(
  c: WriteContext,
  { outbound, storage }: { outbound: Outbound; storage: Storage },
  body: ExportBody,
): Promise<{ row: store.ExportRow; headers: Record<string, string> }> {
  const account_id = accountOf(c.actor)
  checkCallback(outbound, body.callback_url)
  if ((await store.countProcessing(c.tx, account_id)) >= limits.processing_per_account)
    throw problem(
      'conflict',
      `${limits.processing_per_account} exports are already being built. Wait for one to finish.`,
    )
  const headers = await storage.requireRoom(c.tx, account_id)
  const now = c.clock.now()
  const row = await store.insertExport(c.tx, {
    account_id,
    callback_url: body.callback_url ?? null,
    format: body.format ?? 'csv',
    filter_parameters: JSON.stringify(body.filter_parameters.input),
    filter: JSON.stringify(warehouseFilter(body.filter_parameters.parsed)),
    requested_at: now,
    created_at: now,
  })
  await enqueue(c.tx, buildJob, row.id, now, { account_id })
  await recordEvent(c, account_id, {
    type: 'cdrexport.requested',
    subject_type: linkSubject,
    subject_id: row.id,
    data: { format: row.format },
  })
  return { row, headers }
}

/** Throws 404 if the actor cannot see the export. */
export async function getExport(c: Context, id: string): Promise<store.ExportRow> {
  const row = await store.findExport(c.tx, c.actor, id)
  if (!row) throw notFound(c.actor, `No export ${id}`)
  return row
}

/** Exact count and cost at this moment, estimated size and time. Throws 503 if call records are missing. */
export async function estimate(c: Context, warehouse: Warehouse, body: ExportBody) {
  const filter = warehouseFilter(body.filter_parameters.parsed)
  await requireComplete(c, filter)
  const query = { account_id: accountOf(c.actor), filter }
  const { num_calls, total_cost, bytes } = await rethrowUnavailable(() =>
    withRecordsSoon(c, query, () => warehouse.estimate(query)),
  )
  return {
    num_calls,
    total_cost: moneyText(total_cost),
    // call records compress to about a quarter as csv.gz
    estimated_bytes: Math.round(bytes / 4),
    estimated_seconds: Math.max(1, Math.round(num_calls / 200_000)),
    filter_parameters: body.filter_parameters.input as Record<string, unknown>,
  }
}

export interface FileResponse {
  status: 200 | 206
  stream: Readable
  content_type: string
  headers: Record<string, string>
}

/**
 * The file of an export, or the byte range that a Range header requests. `query` may hold a signed link, which then authorizes
 * the request. Throws 404, 410 after expiry or for a damaged file, 401 for an invalid link, 416 for a range past the end.
 */
export async function readFile(
  c: Context,
  id: string,
  query: Record<string, string | undefined>,
  range_headers: RangeHeaders,
): Promise<FileResponse> {
  const by_link = authorizeLink(c, { subject: linkSubject, id, thing: 'export' }, query)
  const row = await getExport(by_link, id)
  const { sha256, format, account_id } = row
  if (sha256 === null) throw problem('not-found', `Export ${id} is ${row.status} and has no file.`)
  const expiredProblem = ({ file_removed_at, expires_at }: store.ExportRow) =>
    file_removed_at !== null || expires_at === null || expires_at <= c.clock.now()
      ? problem('gone', `The file of export ${id} has expired. Request the export again.`)
      : null
  const expired = expiredProblem(row)
  if (expired) throw expired
  const bytes = Number(row.bytes)
  const etag = `"${sha256}"`
  const range = byteRange(range_headers, etag, bytes)
  if (range === 'unsatisfiable')
    throw problem('range-not-satisfiable', `The file has ${bytes} bytes.`, {
      headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes' },
    })
  const { start, end } = range ?? { start: 0, end: bytes }
  return {
    status: range === null ? 200 : 206,
    // the file may expire during this request
    stream: await readVerified(c, { sha256, bytes, account_id, used_by: `export ${id}` }, { start, end }, async () =>
      expiredProblem(await getExport(by_link, id)),
    ),
    content_type: fileType(format),
    headers: {
      'content-disposition': `attachment; filename="${fileName(id, format)}"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag,
      'cache-control': 'private, no-store',
      'content-length': String(end - start),
      ...(range === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${bytes}` }),
    },
  }
}

/** Releases the file of an expired export. Safe to run twice. */
export async function expireExport(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  const completed = await store.findExport(deps.db, systemActor(expireJob, null), id)
  // the clock was set back after the job became due
  if (completed?.expires_at && completed.expires_at > deps.clock.now()) return { again_at: completed.expires_at }
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    // a legal hold keeps the file
    if (completed && (await isHeld(tx, completed.account_id))) return { again_at: new Date(now.getTime() + 86_400_000) }
    const row = await store.markExpired(tx, id, now)
    if (!row?.sha256) return
    await releaseFiles(tx, [row.sha256], now)
    const actor = systemActor(expireJob, row.account_id)
    await recordEvent({ tx, actor, clock: deps.clock }, row.account_id, {
      type: 'cdrexport.expired',
      subject_type: linkSubject,
      subject_id: id,
    })
  })
}

/** Throws 503 if the warehouse is unavailable. */
export async function rethrowUnavailable<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    if (error instanceof WarehouseUnavailable)
      throw new DependencyUnavailable('The call-record store', { cause: error })
    throw error
  }
}
