import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** An authenticator in software: makes passkeys and signs with them, as a browser would pass them on. */

interface Options {
  challenge?: unknown
  rp?: unknown
  rpId?: unknown
}

/** Deviations from a valid response. */
export interface Deviation {
  origin?: string
  counter?: number
  verifies_user?: boolean
}

export class Authenticator {
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #id = randomBytes(32)
  readonly #origin: string
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** The response to options for a registration. */
  register({ challenge, rp }: Options, deviation: Deviation = {}) {
    const { id: rp_id } = rp as { id: string }
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.#id, key])
    const data = Buffer.concat([this.#data(rp_id, 0x40, deviation), attested])
    const object = cborMap([
      ['fmt', 'none'],
      ['attStmt', new Map<string, never>()],
      ['authData', data],
    ])
    return this.#credential({
      clientDataJSON: this.#client('webauthn.create', challenge, deviation).toString('base64url'),
      attestationObject: object.toString('base64url'),
    })
  }

  /** The response to options for an authentication. */
  authenticate({ challenge, rpId }: Options, deviation: Deviation = {}) {
    const data = this.#data(String(rpId), 0, deviation)
    const client = this.#client('webauthn.get', challenge, deviation)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    })
  }

  #credential(response: object) {
    const id = this.#id.toString('base64url')
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response: { ...response } }
  }

  #client(type: string, challenge: unknown, { origin = this.#origin }: Deviation): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  /** Flags: user present and, unless it deviates, verified; the counter increases with each response. */
  #data(rp_id: string, flags: number, { counter, verifies_user = true }: Deviation): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? ++this.#counter)
    const all = flags | 0x01 | (verifies_user ? 0x04 : 0)
    return Buffer.concat([createHash('sha256').update(rp_id).digest(), Buffer.from([all]), count])
  }
}

type Cbor = number | string | Buffer | Map<string, never>

const cborMap = (entries: readonly (readonly [number | string, Cbor])[]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)])

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return head(5, 0)
}

/** Type and length (RFC 8949, 3). */
function head(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length])
  if (length < 256) return Buffer.from([(type << 5) | 24, length])
  return Buffer.from([(type << 5) | 25, length >> 8, length & 0xff])
}
