import { documents } from '@demarc/client'

/** Names, types, limits and retries of documents. Pure. */

export const limits = {
  bytes: 20 * 1024 * 1024,
  /** For an upload to arrive. */
  upload_ms: 300_000,
  /** Characters of a name. */
  name_characters: 150,
  per_order: 100,
  /** Pulls of one account that may wait or be under way. */
  open_per_account: 100,
  link_life_h: 24,
} as const

/** How pulls go about it. */
export interface PullLimits {
  /** For one attempt, from the lookup to the last byte. */
  timeout_ms: number
  /** At once in one worker, and of these for one account: servers that hang hold up their own account and nobody else. */
  at_once: number
  per_account: number
  /** How long a pull waits for a place before it asks again, and how far apart those that wait come back. */
  wait_ms: number
  wait_gap_ms: number
}

export const pullLimits: PullLimits = {
  timeout_ms: 60_000,
  at_once: 8,
  per_account: 3,
  wait_ms: 1000,
  wait_gap_ms: 100,
}

/** Waits after the first failed attempt, the second, and so on; after the last of them a failure is the end. */
export const retryAfter_s = [5, 30, 120] as const

/** A document whose pulling has ended this many workers would end the next one too. */
export const attempts_without_end = 12

/** A URL as submitted, taken apart: what is fetched, and the name asked for. */
export interface SubmittedUrl {
  url: string
  named: string | null
}

/**
 * Takes the `filename` query parameter off a URL. The rest stays as it was written, to the letter: a signed URL would
 * not survive being put together anew. Of several the first that says something counts.
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

/** The name of a document that is pulled: the one asked for, else the end of the path. */
export function pulledName({ url, named }: SubmittedUrl): string {
  const path = URL.parse(url)?.pathname ?? ''
  return (named === null ? null : safeName(named)) ?? safeName(decoded(path)) ?? 'document'
}

/**
 * The last part of what may be a path, without control and invisible characters and without dots at its ends, at most
 * 150 characters, the extension kept. Null when nothing is left. Bytes are stored by digest, so that even a name that
 * got past this would name no file of ours; this is for those who save it.
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
    // a stray % or bytes that are not UTF-8: the name as it stands
    if (error instanceof URIError) return path
    throw error
  }
}

/** The type that the end of a name promises; null when it is none of ours ("bill", "download.php", "Invoice No. 5"). */
export function promisedType(name: string): documents.DocumentType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return null
  const has = (type: documents.DocumentType) =>
    (documents.documentTypes[type].extensions as readonly string[]).includes(extension)
  return documents.documentMediaTypes.find(has) ?? null
}

export type TypeVerdict = { type: documents.DocumentType } | { refused: string }

/** Which of the types that the bytes may be it is, by the name; or why the two do not go together. */
export function typeOf(name: string, candidates: readonly documents.DocumentType[]): TypeVerdict {
  const [first] = candidates
  if (first === undefined) return { refused: typesWords }
  const promised = promisedType(name)
  if (promised === null) return { type: first }
  if (candidates.includes(promised)) return { type: promised }
  const { words, extensions } = documents.documentTypes[first]
  const ending = name.slice(name.lastIndexOf('.'))
  return {
    refused: `The name ends in ${ending}, but the content is ${words}. Name it with .${extensions[0]} or send the right file.`,
  }
}

export const typesWords = 'Documents may be PDF, PNG, JPEG, TIFF, CSV, TXT, DOC, DOCX, XLS or XLSX.'

/** The name under which a document is saved: one that promises no type gets the extension of its own. */
export const savedName = (name: string, type: documents.DocumentType): string =>
  promisedType(name) === null ? `${name}.${documents.documentTypes[type].extensions[0]}` : name

/** `attachment` with the name, in ASCII and as it is (RFC 6266, RFC 8187). */
export function disposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/**
 * Outcomes of the network that may pass by themselves; all others are the server's last word. `bad_response` is one of
 * them: a connection that ends in the middle of a body looks like it.
 */
const passing: readonly string[] = ['connect_failed', 'connection_lost', 'bad_response', 'dns_failed', 'timeout']
export const mayPass = (failure_code: string): boolean => passing.includes(failure_code)

/** What an HTTP status means for a pull: null when a document follows. */
export function statusFault(status: number): { reason: string; may_pass: boolean } | null {
  if (status === 200 || status === 203) return null
  const answered = `The server answered with status ${status}`
  if (status >= 500) return { reason: `${answered}.`, may_pass: true }
  if (status === 401 || status === 403)
    return { reason: `${answered}: the URL must be open to us without signing in.`, may_pass: false }
  if (status === 404 || status === 410)
    return { reason: `${answered}: there is no document at this URL.`, may_pass: false }
  return { reason: `${answered} instead of a document.`, may_pass: false }
}

/** When to try again after the `failures`-th failure that may pass; null when that was the last. */
export function nextAttempt(failures: number, now: Date): Date | null {
  const wait_s = retryAfter_s[failures - 1]
  return wait_s === undefined ? null : new Date(now.getTime() + wait_s * 1000)
}
