import type { Context, WriteContext } from '../../platform/context.ts'
import { newSecret } from '../../platform/secrets.ts'
import type { Browser } from '../dependencies.ts'
import * as store from './store.ts'

/**
 * Browsers that a person signed in with. Wrong guesses from elsewhere don't lock them out, because their own attempts are
 * counted apart.
 */

const deviceHash = ({ vault }: Pick<Context, 'vault'>, token: string) => vault.hashSecret(`device:${token}`)
const deviceHashes = ({ vault }: Pick<Context, 'vault'>, token: string) => vault.hashesOf(`device:${token}`)

/** The browser's id for the throttle if this person signed in with it before, otherwise null. */
export async function knownDevice(c: Context, person_id: string, { device }: Browser): Promise<string | null> {
  if (device === null) return null
  const hash = deviceHash(c, device)
  return (await store.isKnownDevice(c.tx, deviceHashes(c, device), person_id)) ? hash.toString('hex') : null
}

/** The same for those of an address who signed in with it. */
export async function knownDeviceOf(
  c: Context,
  email: string,
  { device }: Browser,
): Promise<{ id: string; person_ids: ReadonlySet<string> } | null> {
  if (device === null) return null
  const hash = deviceHash(c, device)
  const person_ids = await store.peopleOfDevice(c.tx, deviceHashes(c, device), email)
  return person_ids.size === 0 ? null : { id: hash.toString('hex'), person_ids }
}

/** Makes the browser known to the person. Returns the token for its cookie. */
export async function registerDevice(c: WriteContext, person_id: string, { device }: Browser): Promise<string> {
  const token = device ?? newSecret()
  await store.putDevice(c.tx, person_id, deviceHash(c, token))
  return token
}
