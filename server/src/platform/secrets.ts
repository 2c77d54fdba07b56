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

/** Key material from the settings: at least 16 bytes, preferably 32 random ones. Keys are derived from it and never equal it. */
export interface SealKey {
  /** Part of every sealed value, to identify its key: lower-case letters, digits, `_`, and `-`. */
  id: string
  key: string | Uint8Array
}

export interface VaultOptions {
  /** Keys the hashes of access secrets. If it is lost, every secret becomes invalid. */
  pepper: string | Uint8Array
  /** Another pepper: its hashes are accepted, and no new ones are made with it. */
  accepted_pepper?: string | Uint8Array | null
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

/** A configured pepper or seal key, as the database records it. It can't be computed back. */
export interface KeyRecord {
  kind: 'pepper' | 'seal'
  /** Of a seal key: its id; of a pepper: 8 hex characters derived from it, which begin the hashes made with it. */
  id: string
  /** 32 bytes derived from the key, to recognize it. */
  fingerprint: Buffer
  /** Whether new values are hashed or sealed with it. */
  is_current: boolean
}

export interface Vault {
  /** The configured keys; the current one of each kind comes first. */
  keys: readonly KeyRecord[]
  /** The form of a secret that the database stores: 4 bytes that identify the pepper, then 32 of HMAC-SHA-256 under it. */
  hashSecret(secret: string): Buffer
  /** The forms that the database may have of a secret: one for each accepted pepper, the current one first. */
  hashesOf(secret: string): Buffer[]
  /**
   * Compares in constant time. Without a hash (unknown key) it compares against a dummy and returns false, so that timing does
   * not reveal which access keys exist.
   */
  verifySecret(secret: string, hash: Uint8Array | null): boolean
  /** Whether a hash was made with another pepper than the current one. */
  isOutdated(hash: Uint8Array): boolean
  /**
   * HMAC-SHA-256 under the current pepper, or under the one with this id: 32 bytes, to derive further values from. Null if that
   * pepper is not configured.
   */
  mac(text: string): Buffer
  mac(text: string, pepper_id: string): Buffer | null
  /**
   * Seals a small secret with AES-256-GCM for one use.
   * `context` says what the value belongs to (`portorder:<account>:<id>:pin`); it is not stored and must be given again to open.
   * @returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`
   */
  seal(plaintext: string, context: string): string
  /** Opens what `seal` returned for the same context. Throws SealError. */
  open(sealed: string, context: string): string
}

export const minMaterialBytes = 16
export const sealKeyId = /^[a-z0-9_-]{1,32}$/
const NONCE_BYTES = 12
const TAG_BYTES = 16
// Never change them: another label derives another key, which invalidates stored hashes and sealed values.
const HASH_LABEL = 'demarc/secret-hash/v1'
const SEAL_LABEL = 'demarc/seal/v1'
const PEPPER_RECORD_LABEL = 'demarc/pepper-record/v1'
const SEAL_RECORD_LABEL = 'demarc/seal-record/v1'
const PEPPER_ID_BYTES = 4

/** Whether two texts are equal, in a time independent of where they differ. Lengths are not secret. */
export function isSameSecret(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The key that new values are sealed or hashed with. */
export const currentKey = ({ keys }: Pick<Vault, 'keys'>, kind: KeyRecord['kind']): KeyRecord | undefined =>
  keys.find((key) => key.kind === kind && key.is_current)

/** Creates the vault. Throws if the material is too short, no seal key is given, or two share an id. */
export function createVault(options: VaultOptions): Vault {
  const peppers = createPeppers(options)
  const keys = sealKeys(options.seal_keys)
  const [first] = keys
  if (first === undefined) throw new Error('At least one seal key is needed.')
  const [sealing_id, sealing_key] = first
  const keys_by_id = new Map(keys)

  return {
    keys: [...peppers.keys, ...recordsOf('seal', options.seal_keys, SEAL_RECORD_LABEL)],
    ...peppers.functions,
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

function createPeppers({ pepper, accepted_pepper = null }: VaultOptions) {
  const materials = [pepper, ...(accepted_pepper === null || accepted_pepper === pepper ? [] : [accepted_pepper])]
  const keys = recordsOf(
    'pepper',
    materials.map((key) => ({ id: fingerprintOf(key, PEPPER_RECORD_LABEL).toString('hex', 0, PEPPER_ID_BYTES), key })),
    PEPPER_RECORD_LABEL,
  )
  const peppers = materials.map((material, n) => ({ id: keys[n]?.id ?? '', key: deriveKey(material, HASH_LABEL) }))
  const [current = { id: '', key: deriveKey(pepper, HASH_LABEL) }] = peppers
  const by_id = new Map(peppers.map(({ id, key }) => [id, key]))
  const macUnder = (key: KeyObject, text: string) => createHmac('sha256', key).update(text, 'utf8').digest()
  function mac(text: string): Buffer
  function mac(text: string, pepper_id: string): Buffer | null
  function mac(text: string, pepper_id = current.id): Buffer | null {
    const key = by_id.get(pepper_id)
    return key === undefined ? null : macUnder(key, text)
  }
  const hashUnder = ({ id, key }: (typeof peppers)[number], secret: string) =>
    Buffer.concat([Buffer.from(id, 'hex'), macUnder(key, secret)])
  const hashesOf = (secret: string) => peppers.map((each) => hashUnder(each, secret))
  const hashSecret = (secret: string) => hashUnder(current, secret)
  const pepperOf = (hash: Uint8Array) => Buffer.from(hash.subarray(0, PEPPER_ID_BYTES)).toString('hex')
  const dummy = randomBytes(32)
  const functions = {
    mac,
    hashSecret,
    hashesOf,
    verifySecret(secret: string, hash: Uint8Array | null) {
      const stored = hash?.subarray(PEPPER_ID_BYTES)
      const known = hash !== null && stored?.length === dummy.length && by_id.has(pepperOf(hash))
      const made = (known ? mac(secret, pepperOf(hash)) : null) ?? mac(secret)
      return timingSafeEqual(made, known ? hash.subarray(PEPPER_ID_BYTES) : dummy) && known
    },
    isOutdated: (hash: Uint8Array) => pepperOf(hash) !== current.id,
  }
  return { keys, functions }
}

const fingerprintOf = (material: string | Uint8Array, label: string) => deriveKey(material, label).export()

const recordsOf = (kind: KeyRecord['kind'], keys: readonly SealKey[], label: string): KeyRecord[] =>
  keys.map(({ id, key }, n) => ({ kind, id, fingerprint: fingerprintOf(key, label), is_current: n === 0 }))

/**
 * Derives a 256-bit key for one purpose: the same material under two labels gives two unrelated keys (HKDF, RFC 5869). Returned
 * as a KeyObject, because node:crypto would create one from plain bytes on each use, which takes four times as long as a hash.
 */
export function deriveKey(material: string | Uint8Array, label: string): KeyObject {
  const bytes = typeof material === 'string' ? Buffer.from(material, 'utf8') : material
  if (bytes.length < minMaterialBytes) {
    throw new Error(`Key material must have at least ${minMaterialBytes} bytes; this has ${bytes.length}.`)
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

function sealKeys(keys: readonly SealKey[]): [string, KeyObject][] {
  const ids = new Set<string>()
  return keys.map(({ id, key }) => {
    if (!sealKeyId.test(id)) throw new Error('A seal key id has 1 to 32 lower-case letters, digits, "_" or "-".')
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
