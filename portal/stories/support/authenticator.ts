import { createHmac } from 'node:crypto'
import type { Visitor } from './browser.ts'

/** What people have beside a password: an authenticator for passkeys, and an app that shows codes. */

/** Gives the browser an authenticator that says yes to everything. Passkeys belong to a name: the visitor must come by `localhost`. */
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

/** The code that an app shows for this secret (RFC 6238), or will show so many steps from now: each counts once. */
export function codeOf(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / step_ms) + steps))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}
