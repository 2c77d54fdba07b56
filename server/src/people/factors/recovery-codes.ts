import { randomInt } from 'node:crypto'
import type { Vault } from '../../platform/secrets.ts'

/** Recovery codes: for somebody who has lost the authenticator. Each works once. */

const count = 10
/** Without letters and digits that are mistaken for one another. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** New codes, 49 bits each, in two groups of five. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const letters = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
    return `${letters.slice(0, 5)}-${letters.slice(5)}`
  })

/** What the database keeps of a code, however it was typed. */
export const recoveryCodeHash = (vault: Vault, person_id: string, code: string): Buffer =>
  vault.hashSecret(`recovery:${person_id}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
