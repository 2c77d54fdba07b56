import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import type { Deps } from '../../platform/context.ts'
import type { PersonRow } from '../store.ts'
import type { PasskeyRow } from './store.ts'

/** Passkeys (WebAuthn). The library loads on first use, which keeps it out of start-up. */

const library = () => import('@simplewebauthn/server')

/**
 * EdDSA, ES256, and RS256, which authenticators support. Listed because the library would otherwise probe this Node for others.
 */
const algorithms = [-8, -7, -257]

/** Options for a browser, with the challenge its response must sign. */
export interface PasskeyOptions {
  options: Record<string, unknown>
  challenge: string
}

/**
 * The relying party that browsers bind passkeys to: the host name of the public URL. IP addresses are not allowed; loopback
 * becomes localhost.
 */
export function relyingParty({ public_url }: Pick<Deps, 'public_url'>): { id: string; origins: string[] } {
  const { hostname, origin, protocol, port } = new URL(public_url)
  const is_address = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  if (!is_address) return { id: hostname, origins: [origin] }
  return { id: 'localhost', origins: [`${protocol}//localhost${port === '' ? '' : `:${port}`}`] }
}

export async function registrationOptions(
  deps: Pick<Deps, 'public_url'>,
  { id, email, name }: Pick<PersonRow, 'id' | 'email' | 'name'>,
  existing: readonly PasskeyRow[],
  issuer: string,
): Promise<PasskeyOptions> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: issuer,
    rpID: relyingParty(deps).id,
    userName: email,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(`demarc-person-${id}`)),
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  return { options: { ...options }, challenge: options.challenge }
}

/** Options for signing with one of these passkeys. Null: any passkey the authenticator has, which must then verify its user. */
export async function authenticationOptions(
  deps: Pick<Deps, 'public_url'>,
  existing: readonly PasskeyRow[] | null,
): Promise<PasskeyOptions> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(deps).id,
    userVerification: existing === null ? 'required' : 'preferred',
    ...(existing === null
      ? {}
      : { allowCredentials: existing.map((row) => ({ id: row.credential_id, transports: row.transports })) }),
  })
  return { options: { ...options }, challenge: options.challenge }
}

/** The passkey in a registration response. Null if the response does not match the challenge. */
export async function verifiedRegistration(
  deps: Pick<Deps, 'public_url' | 'log'>,
  response: object,
  challenge: string,
): Promise<WebAuthnCredential | null> {
  const { verifyRegistrationResponse } = await library()
  const { id, origins } = relyingParty(deps)
  const verified = await unlessRefused(deps, () =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    }),
  )
  return verified?.verified ? verified.registrationInfo.credential : null
}

/**
 * The passkey's counter after this use. Null if the response does not match the passkey and challenge, or the counter did not
 * advance.
 */
export async function verifiedCounter(
  deps: Pick<Deps, 'public_url' | 'log'>,
  row: PasskeyRow,
  response: object,
  { challenge, verifies_user }: { challenge: string; verifies_user: boolean },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  const { id, origins } = relyingParty(deps)
  const verified = await unlessRefused(deps, () =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: verifies_user,
      credential: { id: row.credential_id, publicKey: new Uint8Array(row.public_key), counter: Number(row.counter) },
    }),
  )
  return verified?.verified ? verified.authenticationInfo.newCounter : null
}

/** The library has no error class: anything it throws is a reason to reject the response. */
async function unlessRefused<T>({ log }: Pick<Deps, 'log'>, verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify()
  } catch (err) {
    log.info({ err }, 'a passkey was refused')
    return null
  }
}
