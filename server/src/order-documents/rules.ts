import { documents } from '@demarc/client'

/** Rules for names, types, limits and retries of documents. Pure. */

export const limits = {
  bytes: 20 * 1024 * 1024,
  /** Timeout for receiving an upload. */
  upload_ms: 300_000,
  /** Characters of a name. */
  name_characters: 150,
  per_order: 100,
  /** Unfinished pulls of one account. */
  open_per_account: 100,
  link_life_h: 24,
} as const

export const pullLimits = {
  /** Timeout of one attempt, from the DNS lookup to the last byte. */
  timeout_ms: 60_000,
  /** Concurrent pulls in all workers. */
  at_once: 8,
  /** Of these, of one account, so that a slow server delays only its account. */
  per_account: 3,
} as const

/** Delays before each retry. After the last retry, a failure is final. */
export const retryAfter_s = [5, 30, 120] as const

/** Attempts without a recorded result after which a pull fails, because it probably crashes its worker. */
export const abandoned_attempts_max = 12

/** The parts of a submitted URL: the URL to fetch, and the requested name. */
export interface SubmittedUrl {
  url: string
  named: string | null
}

/**
 * Removes the `filename` query parameter from a URL; the first non-empty one counts. The rest stays unchanged byte for byte,
 * because reserializing would invalidate a signed URL.
 */
export function splitUrl(original_url: string): SubmittedUrl {
  const [head = '', ...fragment] = original_url.split(/(?=#)/)
  const at = head.indexOf('?')
  if (at < 0) return { url: original_url, named: null }
  const pairs = head.slice(at + 1).split('&')
  const nameOf = (pair: string) => new URLSearchParams(pair).get('filename')
  const kept = pairs.filter((pair) => nameOf(pair) === null)
  if (kept.length === pairs.length) return { url: original_url, named: null }
  const query = kept.some((pair) => pair !== '') ? `?${kept.join('&')}` : ''
  const named = pairs.map(nameOf).find((name) => name !== null && name !== '') ?? null
  return { url: head.slice(0, at) + query + fragment.join(''), named }
}

/** The name of a pulled document: the requested one, or else the end of the path. */
export function pulledName({ url, named }: SubmittedUrl): string {
  const path = URL.parse(url)?.pathname ?? ''
  return (named === null ? null : safeName(named)) ?? safeName(decoded(path)) ?? 'document'
}

/**
 * The last part of a path, without control and invisible characters or dots at its ends, shortened to 150 characters with its
 * extension; null when nothing is left. This protects people who download the document; the service stores files by digest.
 */
export function safeName(text: string): string | null {
  const visible = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, '')
  const parts = visible.split(/[/\\]/).map((part) => part.trim().replace(/^[\s.]+|[\s.]+$/g, ''))
  const last = parts.findLast((part) => part !== '')
  return last === undefined ? null : shortened(last)
}

function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= limits.name_characters) return name
  const extension = /\.[A-Za-z0-9]{1,5}$/.exec(name)?.[0] ?? ''
  return characters.slice(0, limits.name_characters - extension.length).join('') + extension
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    // a stray % or bytes that are not UTF-8: keeps the name unchanged
    if (error instanceof URIError) return path
    throw error
  }
}

/** The type of a name's extension; null when the extension is not allowed ("bill", "download.php", "Invoice No. 5"). */
export function typeOfExtension(name: string): documents.DocumentType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return null
  const has = (type: documents.DocumentType) =>
    (documents.documentTypes[type].extensions as readonly string[]).includes(extension)
  return documents.documentMediaTypes.find(has) ?? null
}

export type TypeResult = { type: documents.DocumentType } | { refused: string }

/** The type of the content, chosen among the candidates by the name; or why they do not match. */
export function typeOf(name: string, candidates: readonly documents.DocumentType[]): TypeResult {
  const [first] = candidates
  if (first === undefined) return { refused: allowedTypes }
  const expected = typeOfExtension(name)
  if (expected === null) return { type: first }
  if (candidates.includes(expected)) return { type: expected }
  const { words, extensions } = documents.documentTypes[first]
  const ending = name.slice(name.lastIndexOf('.'))
  return {
    refused: `The name ends in ${ending}, but the content is ${words}. Rename it to end in .${extensions[0]}, or send the right file.`,
  }
}

export const allowedTypes = 'Documents must be PDF, PNG, JPEG, TIFF, CSV, TXT, DOC, DOCX, XLS or XLSX.'

/** The name under which a document is downloaded. Adds the extension of the type if the name has no allowed one. */
export const savedName = (name: string, type: documents.DocumentType): string =>
  typeOfExtension(name) === null ? `${name}.${documents.documentTypes[type].extensions[0]}` : name

/** A Content-Disposition header with the name in ASCII and in UTF-8 (RFC 6266, RFC 8187). */
export function disposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** Transient network failures; all others are permanent. `bad_response` is transient, because a connection lost within a body looks like it. */
const retryableCodes: readonly string[] = [
  'connect_failed',
  'connection_lost',
  'bad_response',
  'no_public_address',
  'timeout',
]
export const isRetryable = (failure_code: string): boolean => retryableCodes.includes(failure_code)

/** The failure for an HTTP status; null when the response has a document. */
export function statusError(status: number): { reason: string; retryable: boolean } | null {
  if (status === 200 || status === 203) return null
  const sentence = `The server responded with status ${status}`
  if (status >= 500) return { reason: `${sentence}.`, retryable: true }
  if (status === 401 || status === 403)
    return { reason: `${sentence}. The URL must not require a sign-in.`, retryable: false }
  if (status === 404 || status === 410) return { reason: `${sentence}. The URL has no document.`, retryable: false }
  return { reason: `${sentence} instead of a document.`, retryable: false }
}

/** When to retry after this many transient failures; null after the last attempt. */
export function nextAttempt(failures: number, now: Date): Date | null {
  const wait_s = retryAfter_s[failures - 1]
  return wait_s === undefined ? null : new Date(now.getTime() + wait_s * 1000)
}
