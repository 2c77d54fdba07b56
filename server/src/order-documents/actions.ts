import { Readable } from 'node:stream'
import { portOrders, type documents } from '@demarc/client'
import type { Context, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent, type NewEvent } from '../platform/events.ts'
import { keepFile } from '../platform/file-references.ts'
import { FileTooLarge, type StagedFile } from '../platform/files/index.ts'
import { enqueue } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { authorizeLink } from '../platform/link-authorization.ts'
import { invalid, notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import type { Reservation, Storage } from '../platform/storage.ts'
import { readVerified } from '../platform/verified-files.ts'
import { linkSubject } from './document.ts'
import { BytesRefused, checkedBytes } from './checked-bytes.ts'
import { disposition, limits, pulledName, safeName, savedName, splitUrl } from './rules.ts'
import * as store from './store.ts'

/** The job that pulls a document; its key is the document's id. */
export const pullJob = 'pull-document'

/** The fields of a port order that its documents need. */
export interface OrderOfFiles {
  account_id: string
  id: string
  status: portOrders.PortOrderStatus
}

/** Access to port orders, a higher layer; passed in by app.ts. */
export interface PortOrderAccess {
  /** The order. Throws 404 unless the actor can see it. */
  orderForFiles(c: Context, id: string): Promise<OrderOfFiles>
  /** The order, its row locked until the transaction ends. Counts as an update of the order. Throws 404, and 409 in a status that does not allow the edit. */
  editFiles(c: WriteContext, id: string, edit: 'pull' | 'upload'): Promise<OrderOfFiles>
}

/** Errors of the URL of a pull, by field. */
export function urlErrors(outbound: Outbound, original_url: string | undefined): Record<string, string[]> {
  const refusal = original_url === undefined ? null : outbound.checkUrl(splitUrl(original_url).url)
  return refusal ? { url: [refusal.detail] } : {}
}

/** A document, and the headers of its response. */
interface DocumentWithHeaders {
  row: store.DocumentRow
  headers: Record<string, string>
}

/** Requests a pull: inserts its row, event and job. Throws 404, 409, 422 for a URL that is not allowed, and 507. */
export async function requestPull(
  c: WriteContext,
  { orders, outbound, storage }: { orders: PortOrderAccess; outbound: Outbound; storage: Storage },
  order_id: string,
  original_url: string,
): Promise<DocumentWithHeaders> {
  const order = await orders.editFiles(c, order_id, 'pull')
  throwIfInvalid(urlErrors(outbound, original_url))
  const submitted = splitUrl(original_url)
  const { of_order, open } = await store.countDocuments(c.tx, order)
  refuseTooMany(of_order)
  if (open >= limits.open_per_account)
    throw problem(
      'conflict',
      `${limits.open_per_account} documents are already being pulled. Wait until one of them is complete.`,
    )
  const headers = await storage.requireRoom(c.tx, order.account_id)
  const now = c.clock.now()
  const row = await store.insertDocument(c.tx, {
    account_id: order.account_id,
    port_order_id: order.id,
    source: 'pull',
    kind: 'document',
    name: pulledName(submitted),
    original_url,
    url: submitted.url,
    status: 'pending',
    created_at: now,
  })
  await enqueue(c.tx, pullJob, row.id, now, { account_id: row.account_id })
  await recordEvent(c, row.account_id, fileEvent(row, 'portorder.file_requested'))
  return { row, headers }
}

/** A document that is being uploaded. */
interface Upload {
  name: string
  stream: Readable
  content_length: string | undefined
}

/**
 * Stores an upload: first the file, then its row and event. Throws 404, 408, 409, 413, 422 for the name or the content, and
 * 507, if possible before reading the upload. The same bytes under the same name return the existing document.
 */
export async function uploadDocument(
  c: Context,
  { orders, storage }: { orders: PortOrderAccess; storage: Storage },
  order_id: string,
  { name: requested_name, stream, content_length }: Upload,
): Promise<DocumentWithHeaders & { created: boolean }> {
  const order = await orders.orderForFiles(c, order_id)
  // checked again below under the row lock; checked here to avoid a 20 MiB upload that ends in 409
  const permission = portOrders.editAllowed('upload', order.status)
  if (!permission.ok) throw problem('conflict', permission.reason)
  const name = safeName(requested_name)
  if (name === null) throw invalid({ filename: ['Must have at least one visible character.'] })
  if (Number(content_length ?? 0) > limits.bytes) throw tooLarge()
  const room = await reserveRoom(c, storage, order, { name, content_length })
  try {
    const upload = await stageUpload(c, name, stream, room)
    try {
      return await inTransaction(c.db, (tx) => recordUpload({ ...c, tx }, { orders, storage }, order_id, upload))
    } finally {
      await upload.file.discard()
    }
  } finally {
    await room.release()
  }
}

/** Reserves storage. An upload under an existing name is not refused here: if its bytes are the same, it needs no storage. Throws 409 and 507. */
async function reserveRoom(
  c: Context,
  storage: Storage,
  order: OrderOfFiles,
  { name, content_length }: Pick<Upload, 'name' | 'content_length'>,
): Promise<Reservation> {
  if (await store.hasUpload(c.tx, order, name)) return { ...unlimited, release: () => Promise.resolve() }
  refuseTooMany((await store.countDocuments(c.tx, order)).of_order)
  return await storage.reserve(c.db, order.account_id, { content_length, bytes_max: limits.bytes })
}

/** A received file that is not on an order yet. */
export interface StagedUpload {
  name: string
  file: StagedFile
  media_type: documents.DocumentType
}

/** Receives an upload. The caller must record or discard it. Throws 408, 413, 422 for the content, and 507. */
export async function stageUpload(
  c: Context,
  name: string,
  stream: Readable,
  { bytes_max, exceeded }: Pick<Reservation, 'bytes_max' | 'exceeded'> = unlimited,
): Promise<StagedUpload> {
  const signal = AbortSignal.timeout(limits.upload_ms)
  try {
    // destroying the stream would close the connection before the response is sent
    const bytes = checkedBytes(stream.iterator({ destroyOnReturn: false }), name, limits.bytes)
    const file = await c.files.stage(Readable.from(bytes.stream()), { signal, max_bytes: bytes_max })
    return { name, file, media_type: bytes.type() }
  } catch (error) {
    if (error instanceof BytesRefused) throw error.too_large ? tooLarge() : invalid({ body: [error.message] })
    if (error instanceof FileTooLarge) throw exceeded()
    if (signal.aborted) throw problem('request-timeout')
    throw error
  }
}

/** Adds a staged upload to the documents of an order, with an event. Throws 404, 409 and 507. */
export async function recordUpload(
  c: WriteContext,
  { orders, storage }: { orders: PortOrderAccess; storage?: Storage },
  order_id: string,
  { name, file, media_type }: StagedUpload,
): Promise<DocumentWithHeaders & { created: boolean }> {
  const order = await orders.editFiles(c, order_id, 'upload')
  const existing = await store.findUpload(c.tx, order, name, file.digest)
  if (existing) return { row: existing, created: false, headers: {} }
  refuseTooMany((await store.countDocuments(c.tx, order)).of_order)
  const headers = (await storage?.claim(c.tx, order.account_id, file.bytes)) ?? {}
  const row = await insertComplete(c.tx, c.clock.now(), {
    account_id: order.account_id,
    port_order_id: order.id,
    source: 'upload',
    kind: 'document',
    name,
    sha256: file.digest,
    bytes: String(file.bytes),
    media_type,
  })
  await keepFile(c.tx, file)
  const details = { bytes: file.bytes, sha256: file.digest }
  await recordEvent(c, row.account_id, fileEvent(row, 'portorder.file_uploaded', details))
  return { row, created: true, headers }
}

const tooLarge = () => problem('payload-too-large', `A document can have at most ${limits.bytes / 1024 / 1024} MiB.`)

const unlimited = { bytes_max: limits.bytes, exceeded: tooLarge }

function refuseTooMany(of_order: number): void {
  if (of_order >= limits.per_order)
    throw problem('conflict', `A port order can have at most ${limits.per_order} documents.`)
}

/** A signed LOA, whose file is already stored. */
export interface Loa {
  account_id: string
  order_id: string
  filename: string
  digest: string
  bytes: number
}

/** Adds the LOA to the documents of its order, without an event. */
export async function attachLoa(c: WriteContext, loa: Loa): Promise<{ id: string }> {
  return await insertComplete(c.tx, c.clock.now(), {
    account_id: loa.account_id,
    port_order_id: loa.order_id,
    source: 'service',
    kind: 'loa',
    name: loa.filename,
    sha256: loa.digest,
    bytes: String(loa.bytes),
    media_type: 'application/pdf',
  })
}

type Complete = Parameters<typeof store.insertDocument>[1] & { media_type: documents.DocumentType; sha256: string }

const insertComplete = (tx: WriteContext['tx'], now: Date, row: Omit<Complete, 'status' | 'created_at'>) =>
  store.insertDocument(tx, { ...row, status: 'complete', created_at: now, finished_at: now })

/** The final documents of orders, for `business_documents`, by order id. */
export async function businessDocuments(
  db: Context['tx'],
  account_id: string,
  order_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly { filename: string; status: 'uploaded' | 'failed' }[]>> {
  const found = new Map<string, { filename: string; status: 'uploaded' | 'failed' }[]>()
  for (const { port_order_id, name, status } of await store.endedDocuments(db, account_id, order_ids)) {
    const entry = { filename: name, status: status === 'complete' ? ('uploaded' as const) : ('failed' as const) }
    found.set(port_order_id, [...(found.get(port_order_id) ?? []), entry])
  }
  return found
}

/** One document of an order. Throws 404 unless the actor can see it. */
export async function getDocument(c: Context, order_id: string, id: string): Promise<store.DocumentRow> {
  const row = await store.findDocument(c.tx, c.actor, order_id, id)
  if (!row) throw notFound(c.actor, `No file ${id}`)
  return row
}

/**
 * The content of a document, as an attachment. A signed link in `query` authorizes the request. Throws 404, 410 for an expired
 * link, and 401 for an invalid link.
 */
export async function readContent(
  c: Context,
  order_id: string,
  id: string,
  query: Record<string, string | undefined>,
): Promise<{ stream: Readable; content_type: string; headers: Record<string, string> }> {
  const row = await getDocument(authorizeLink(c, { subject: linkSubject, id, thing: 'file' }, query), order_id, id)
  const { sha256, media_type } = row
  if (sha256 === null || media_type === null)
    throw problem('not-found', `File ${id} is in status ${row.status} and cannot be downloaded.`)
  return {
    stream: await readVerified(c, {
      sha256,
      bytes: Number(row.bytes),
      account_id: row.account_id,
      used_by: `document ${id}`,
    }),
    content_type: media_type,
    headers: {
      'content-disposition': disposition(savedName(row.name, media_type)),
      'content-length': String(row.bytes),
      'x-content-type-options': 'nosniff',
      // defense in depth: no script runs if a browser renders it
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
      etag: `"${sha256}"`,
    },
  }
}

/** The event of a document. Its subject is the order, whose timeline shows it. It omits URLs, which may contain secrets. */
export const fileEvent = (row: store.DocumentRow, type: string, details: Record<string, unknown> = {}): NewEvent => ({
  type,
  subject_type: 'portorder',
  subject_id: row.port_order_id,
  data: { file_id: row.id, file: row.name, ...details },
})
