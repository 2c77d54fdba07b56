import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../../platform/secrets.ts'

/** Time-based one-time passwords as authenticator apps generate them (RFC 6238): HMAC-SHA-1, six digits, 30 seconds. */

const step_s = 30
const digits = 6
/** Steps before and after the current one that are accepted, for inaccurate clocks and slow typists. */
const window_steps = 1
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new 160-bit secret in base32, the form that apps accept. */
export const newTotpSecret = (): string => base32(randomBytes(20))

/** The code of a secret at a time step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0')
}

export const totpStep = (now: Date): number => Math.floor(now.getTime() / 1000 / step_s)

/** The step that a code belongs to, if it is acceptable now and later than the last accepted one; null otherwise. */
export function acceptedStep(secret: string, code: string, now: Date, last_step: number): number | null {
  const present = totpStep(now)
  const steps = Array.from({ length: 2 * window_steps + 1 }, (_, i) => present - window_steps + i)
  // compares all of them, so that timing reveals nothing
  const equal = steps.filter((step) => isSameSecret(totpCode(secret, step), code))
  return equal.find((step) => step > last_step) ?? null
}

/** The URL that apps read from a QR code. */
export function otpauthUrl(secret: string, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${step_s}`
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
