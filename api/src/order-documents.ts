import * as z from 'zod'
import { operation } from './operation.ts'
import { envelope } from './envelope.ts'
import { document, list, page, pathId, resource, storageHeaders, text, timestamp } from './shapes.ts'

/** Business documents of port orders: pulled from a URL, uploaded, or made by the service. */

/** Allowed types. The type is detected from the bytes; a name with one of these extensions must agree with it. */
export const documentTypes = {
  'application/pdf': { words: 'a PDF', extensions: ['pdf'] },
  'image/png': { words: 'a PNG image', extensions: ['png'] },
  'image/jpeg': { words: 'a JPEG image', extensions: ['jpg', 'jpeg'] },
  'image/tiff': { words: 'a TIFF image', extensions: ['tif', 'tiff'] },
  'text/plain': { words: 'plain text', extensions: ['txt'] },
  'text/csv': { words: 'CSV', extensions: ['csv'] },
  'application/msword': { words: 'a Word document (DOC)', extensions: ['doc'] },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    words: 'a Word document (DOCX)',
    extensions: ['docx'],
  },
  'application/vnd.ms-excel': { words: 'an Excel workbook (XLS)', extensions: ['xls'] },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    words: 'an Excel workbook (XLSX)',
    extensions: ['xlsx'],
  },
} as const satisfies Record<string, { words: string; extensions: readonly [string, ...string[]] }>
export type DocumentType = keyof typeof documentTypes

/** The same as a list. The keys of the table are document types, which the type of Object.keys loses. */
export const documentMediaTypes = Object.keys(documentTypes) as readonly DocumentType[]

export const documentStatuses = ['pending', 'processing', 'complete', 'error'] as const
export type DocumentStatus = (typeof documentStatuses)[number]

/** `retry`: failed, and retried; `interrupted`: the worker stopped meanwhile, and retried. */
export const attemptOutcomes = ['complete', 'retry', 'error', 'interrupted'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

const attempt = z.object({
  number: z.int(),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
  /** Null while it is running. */
  outcome: z.enum(attemptOutcomes).nullable(),
  response_status: z.int().nullable(),
  failure_reason: z.string().nullable(),
})

const fileAttributes = z.object({
  filename: z.string().meta({ description: 'The requested URL without its `filename` query parameter.' }),
  file: z.string().meta({ description: 'Short file name: the `filename` query parameter, or the end of the path.' }),
  original_url: z.string().meta({ description: 'The URL as submitted; empty for other sources.' }),
  status: z.enum(documentStatuses),
  source: z.enum(['pull', 'upload', 'service']),
  failure_reason: z.string().nullable(),
  bytes: z.int().nullable(),
  sha256: z.string().nullable(),
  media_type: z.string().nullable(),
  download_url: z
    .string()
    .nullable()
    .meta({ description: 'Signed, valid for a day; get the document again for a new one.' }),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
  /** While a failed pull waits for its next attempt. */
  next_attempt_at: timestamp.nullable(),
  attempts: z.array(attempt),
})
export const portOrderFile = resource('portorder-file', fileAttributes).meta({ id: 'PortOrderFile' })

const common = { feature: 'portorders', media: 'json', principals: ['account', 'operator'] } as const
const at = '/v2/portorders/{portorder_id}/files'
const portorder_id = z.object({ portorder_id: pathId })
const file_id = z.object({ portorder_id: pathId, file: pathId.meta({ description: 'Id of the file.' }) })
const fileDocument = document(portOrderFile)

export const requestPortOrderFile = operation({
  ...common,
  id: 'requestPortOrderFile',
  summary: 'Pull a document from a URL',
  description:
    'The URL must be public. Append `filename=` to its query to name the document where the URL does not; that parameter is not sent to the server. At most 20 MiB within 60 s: PDF, PNG, JPEG, TIFF, CSV, TXT, DOC(X), XLS(X), detected from the bytes. Pending and Rejected only.',
  method: 'POST',
  path: at,
  access: 'write',
  params: portorder_id,
  body: envelope('portorder-file', z.strictObject({ url: text(2048) }), {
    flat: true,
    type_optional: true,
    shows: fileAttributes,
    transient: ['download_url'],
  }),
  responses: {
    200: { description: 'The pull; `links.self` is its status.', body: fileDocument, headers: storageHeaders },
  },
  problems: ['not-found', 'conflict', 'invalid-input', 'insufficient-storage'],
  effect: 'transaction',
})

export const listPortOrderFiles = operation({
  ...common,
  id: 'listPortOrderFiles',
  summary: 'List the documents of a port order',
  method: 'GET',
  path: at,
  access: 'read',
  params: portorder_id,
  query: z.object(page(10, 200)),
  responses: { 200: { description: 'Documents, oldest first.', body: list(portOrderFile) } },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})

export const getPortOrderFile = operation({
  ...common,
  id: 'getPortOrderFile',
  summary: 'Get one document: its status and every attempt',
  method: 'GET',
  path: `${at}/{file}`,
  access: 'read',
  params: file_id,
  responses: { 200: { description: 'The document.', body: fileDocument } },
  problems: ['not-found'],
  effect: 'read',
})

export const getPortOrderFileContent = operation({
  ...common,
  id: 'getPortOrderFileContent',
  summary: 'Download a document',
  description: 'Through the signed `download_url`, or with a key.',
  method: 'GET',
  path: `${at}/{file}/content`,
  principals: ['account', 'operator', 'link'],
  access: 'read',
  params: file_id,
  query: z.object({
    account: z.string().optional(),
    expires: z.string().optional(),
    digest: z.string().optional(),
    signature: z.string().optional(),
  }),
  responses: { 200: { description: 'The bytes, as an attachment.', body: { bytes: documentMediaTypes } } },
  problems: ['not-found', 'gone'],
  effect: 'read',
})

export const uploadPortOrderFile = operation({
  ...common,
  id: 'uploadPortOrderFile',
  summary: 'Upload a document',
  description:
    'The bytes as they are, at most 20 MiB; their type is detected from the content. The same bytes under the same name are the same document; other bytes become another one. Pending and Rejected only.',
  method: 'PUT',
  path: `${at}/{file}`,
  access: 'write',
  params: z.object({
    portorder_id: pathId,
    file: z.string().meta({ description: 'Name of the file, percent-encoded.' }),
  }),
  body: { bytes: [...documentMediaTypes, 'application/octet-stream'] },
  responses: {
    201: { description: 'The new document, complete.', body: fileDocument, headers: storageHeaders },
    200: { description: 'The existing document.', body: fileDocument },
  },
  problems: [
    'not-found',
    'conflict',
    'invalid-input',
    'payload-too-large',
    'unsupported-media-type',
    'request-timeout',
    'insufficient-storage',
  ],
  effect: 'own',
})
