import { createHmac } from 'node:crypto'
import type { Visitor } from './browser.ts'

/** A passkey authenticator and an authenticator app. */

/** Adds an authenticator that approves every request. Passkeys belong to a host name, so visitors must use `localhost`. */
export async function addAuthenticator({ context, page }: Visitor): Promise<void> {
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const step_ms = 30_000

/** The TOTP code of a secret (RFC 6238), now or a number of steps ahead; each code is accepted once. */
export function codeOf(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / step_ms) + steps))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}
