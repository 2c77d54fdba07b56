import { randomInt } from 'node:crypto'
import type { Vault } from '../../platform/secrets.ts'

/** Recovery codes for people who lose their authenticator. Each works once. */

const count = 10
/** Omits letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** New codes of 49 bits, in two groups of five characters. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const letters = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
    return `${letters.slice(0, 5)}-${letters.slice(5)}`
  })

/** The form of a code that the database stores, independent of how it was typed. */
export const recoveryCodeHash = (vault: Vault, person_id: string, code: string): Buffer =>
  vault.hashSecret(`recovery:${person_id}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
