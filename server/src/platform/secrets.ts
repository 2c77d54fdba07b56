import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** Key material from the settings: at least 16 bytes, preferably 32 random ones. Keys are derived from it and never equal it. */
export interface SealKey {
  /** Part of every sealed value, to identify its key: lower-case letters, digits, `_`, and `-`. */
  id: string
  key: string | Uint8Array
}

export interface VaultOptions {
  /** Keys the hashes of access secrets. If it is lost, every secret becomes invalid; it cannot be rotated in place. */
  pepper: string | Uint8Array
  /** The first key seals; all of them open. To rotate, add a new key at the front and keep the old one. */
  seal_keys: readonly SealKey[]
}

/** Why a sealed value did not open. `not_authentic`: altered, sealed under another key, or for another context. */
export type SealErrorReason = 'malformed' | 'unknown_key' | 'not_authentic'

export class SealError extends Error {
  readonly reason: SealErrorReason
  constructor(reason: SealErrorReason, message: string) {
    super(message)
    this.name = 'SealError'
    this.reason = reason
  }
}

export interface Vault {
  /** HMAC-SHA-256 of a secret under the pepper: 32 bytes, the form that the database stores. */
  hashSecret(secret: string): Buffer
  /**
   * Compares in constant time. Without a hash (unknown key) it compares against a dummy and returns false, so that timing does
   * not reveal which access keys exist.
   */
  verifySecret(secret: string, hash: Uint8Array | null): boolean
  /**
   * Seals a small secret with AES-256-GCM for one use.
   * `context` says what the value belongs to (`portorder:<account>:<id>:pin`); it is not stored and must be given again to open.
   * @returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`
   */
  seal(plaintext: string, context: string): string
  /** Opens what `seal` returned for the same context. Throws SealError. */
  open(sealed: string, context: string): string
}

const MIN_MATERIAL_BYTES = 16
const KEY_ID = /^[a-z0-9_-]{1,32}$/
const NONCE_BYTES = 12
const TAG_BYTES = 16
// Never change them: another label derives another key, which invalidates stored hashes and sealed values.
const HASH_LABEL = 'demarc/secret-hash/v1'
const SEAL_LABEL = 'demarc/seal/v1'

/** Whether two texts are equal, in a time independent of where they differ. Lengths are not secret. */
export function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Creates the vault. Throws if the material is too short, no seal key is given, or two share an id. */
export function createVault(options: VaultOptions): Vault {
  const pepper = deriveKey(options.pepper, HASH_LABEL)
  const keys = sealKeys(options.seal_keys)
  const [first] = keys
  if (first === undefined) throw new Error('At least one seal key is needed.')
  const [sealing_id, sealing_key] = first
  const keys_by_id = new Map(keys)
  const hashSecret = (secret: string): Buffer => createHmac('sha256', pepper).update(secret, 'utf8').digest()
  const dummy = hashSecret(randomBytes(32).toString('hex'))

  return {
    hashSecret,
    verifySecret(secret, hash) {
      const known = hash !== null && hash.length === dummy.length
      const equal = timingSafeEqual(hashSecret(secret), known ? hash : dummy)
      return equal && known
    },
    seal(plaintext, context) {
      const head = `v1.${sealing_id}`
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing_key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(additionalData(head, context))
      const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${head}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const [, id, payload] = /^v1\.([a-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/.exec(sealed) ?? []
      if (id === undefined || payload === undefined) throw new SealError('malformed', 'The sealed value is malformed.')
      const key = keys_by_id.get(id)
      if (key === undefined)
        throw new SealError('unknown_key', `The value was sealed with the key "${id}", which is not configured.`)
      return decrypt(key, Buffer.from(payload, 'base64url'), additionalData(`v1.${id}`, context))
    },
  }
}

/**
 * Derives a 256-bit key for one purpose: the same material under two labels gives two unrelated keys (HKDF, RFC 5869). Returned
 * as a KeyObject, because node:crypto would create one from plain bytes on each use, which takes four times as long as a hash.
 */
export function deriveKey(material: string | Uint8Array, label: string): KeyObject {
  const bytes = typeof material === 'string' ? Buffer.from(material, 'utf8') : material
  if (bytes.length < MIN_MATERIAL_BYTES) {
    throw new Error(`Key material must have at least ${MIN_MATERIAL_BYTES} bytes; this has ${bytes.length}.`)
  }
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', label, 32)))
}

/** A new public key id: the prefix and 16 characters, 95 bits. */
export function newAccessKey(prefix: string): string {
  return prefix + randomCharacters(16)
}

/** A new secret: 32 letters and digits, 190 bits. With that much entropy, one keyed hash suffices instead of a slow one. */
export function newSecret(): string {
  return randomCharacters(32)
}

/** A new webhook signing secret: `whsec_` and the base64 of 32 random bytes (Standard Webhooks asks for 24 to 64). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** A PIN as responses show it: always four asterisks, which hide its length, plus the last character of a longer one. */
export function maskPin(pin: string): string {
  const characters = [...pin]
  return characters.length < 4 ? '****' : `****${characters.at(-1)}`
}

export interface LocalSecrets {
  pepper: string
  seal_keys: SealKey[]
}

const local_secrets_shape = z.strictObject({
  pepper: z.string().min(MIN_MATERIAL_BYTES),
  seal_keys: z.array(z.strictObject({ id: z.string().regex(KEY_ID), key: z.string().min(MIN_MATERIAL_BYTES) })).min(1),
})

/**
 * Reads a demo installation's `secrets.json` (0600), or creates it. Processes that start together get the same secrets: the
 * file is created atomically, once. Throws if it exists with other content.
 */
export async function loadOrCreateLocalSecrets(folder: string): Promise<LocalSecrets> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secrets.json')
  return (await readLocalSecrets(path)) ?? (await createLocalSecrets(folder, path))
}

async function readLocalSecrets(path: string): Promise<LocalSecrets | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
  const parsed = local_secrets_shape.safeParse(parseJson(text))
  if (!parsed.success) {
    // The content is not quoted: it is secret even when it is broken.
    throw new Error(`${path} is damaged. Restore it from a backup, or delete the whole data folder to start again.`)
  }
  await chmod(path, 0o600)
  return parsed.data
}

async function createLocalSecrets(folder: string, path: string): Promise<LocalSecrets> {
  const secrets: LocalSecrets = {
    pepper: randomBytes(32).toString('base64url'),
    seal_keys: [{ id: 'local1', key: randomBytes(32).toString('base64url') }],
  }
  const draft = join(folder, `secrets.json.${randomBytes(8).toString('hex')}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    // A hard link fails when the name is taken, where a rename would silently replace what another process just made.
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  const winner = await readLocalSecrets(path)
  if (winner === null) throw new Error(`${path} disappeared while it was being made.`)
  return winner
}

function sealKeys(keys: readonly SealKey[]): [string, KeyObject][] {
  const ids = new Set<string>()
  return keys.map(({ id, key }) => {
    if (!KEY_ID.test(id)) throw new Error('A seal key id has 1 to 32 lower-case letters, digits, "_" or "-".')
    if (ids.has(id)) throw new Error(`Two seal keys have the id "${id}".`)
    ids.add(id)
    return [id, deriveKey(key, SEAL_LABEL)]
  })
}

/** The additional authenticated data: version and key id (neither contains a NUL) and the context. */
function additionalData(head: string, context: string): Buffer {
  return Buffer.from(`${head}\0${context}`, 'utf8')
}

function decrypt(key: KeyObject, payload: Buffer, aad: Buffer): string {
  if (payload.length < NONCE_BYTES + TAG_BYTES) throw new SealError('malformed', 'The sealed value is too short.')
  const tag_at = payload.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, payload.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(aad)
  decipher.setAuthTag(payload.subarray(tag_at))
  const plaintext = decipher.update(payload.subarray(NONCE_BYTES, tag_at))
  try {
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8')
  } catch {
    // final() fails for one reason only: the tag does not match.
    throw new SealError('not_authentic', 'The sealed value was altered, or belongs to another context.')
  }
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function randomCharacters(count: number): string {
  // randomInt draws without the bias of a remainder.
  return Array.from({ length: count }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]).join('')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
