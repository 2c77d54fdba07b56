import type { Configuration } from 'openid-client'
import type { OpenIdSettings } from '../dependencies.ts'

/** An OpenID Connect identity provider. The library loads on first use. */

const library = () => import('openid-client')

/** Per-request state of a sign-in at the provider. */
const timeout_s = 10

/** What a returning sign-in is checked against. */
export interface Asked {
  state: string
  nonce: string
  verifier: string
}

/** The identity that the provider asserts. */
export interface Claims {
  issuer: string
  subject: string
  email: string | null
  is_verified: boolean
  name: string | null
}

/**
 * `unavailable`: the provider does not respond, or not as OpenID Connect requires. `cancelled`: the person canceled.
 * `refused`: the provider did not sign the person in, or its response does not match the request.
 */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly reason: 'unavailable' | 'cancelled' | 'refused'
  constructor(reason: ProviderError['reason'], cause: unknown) {
    super(`the identity provider: ${reason}`, { cause })
    this.reason = reason
  }
}

export interface Provider {
  /** The URL where the browser signs in. Throws ProviderError. */
  begin(redirect_uri: string): Promise<{ url: string; asked: Asked }>
  /** The identity in the callback URL. Throws ProviderError. */
  finish(url: string, asked: Asked): Promise<Claims>
}

/** The provider's metadata is fetched at the first sign-in, and again after a failure. */
export function createProvider(settings: OpenIdSettings): Provider {
  let discovered: Promise<Configuration> | null = null
  const configuration = async () => {
    discovered ??= discover(settings)
    try {
      return await discovered
    } catch (error) {
      discovered = null
      throw new ProviderError('unavailable', error)
    }
  }
  return {
    async begin(redirect_uri) {
      const client = await library()
      const config = await configuration()
      const verifier = client.randomPKCECodeVerifier()
      const asked = { state: client.randomState(), nonce: client.randomNonce(), verifier }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'openid email profile',
        state: asked.state,
        nonce: asked.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, asked }
    },
    async finish(url, asked) {
      const [{ AuthorizationResponseError }, config] = await Promise.all([library(), configuration()])
      try {
        return await claimsOf(config, url, asked)
      } catch (error) {
        const cancelled = error instanceof AuthorizationResponseError && error.error === 'access_denied'
        throw new ProviderError(cancelled ? 'cancelled' : 'refused', error)
      }
    },
  }
}

async function discover({ issuer, client_id, client_secret }: OpenIdSettings): Promise<Configuration> {
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await library()
  const url = new URL(issuer)
  // the settings allow http on a loopback address only
  // TLS to the token endpoint would suffice by the standard; the signature also holds if something in between terminates it
  const execute = [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])]
  return await discovery(url, client_id, client_secret, undefined, { execute, timeout: timeout_s })
}

/** A name as people may choose it here: one line of at most 100 characters. */
const plainName = (value: unknown) =>
  typeof value === 'string'
    ? value
        .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
        .trim()
        .slice(0, 100)
    : null

async function claimsOf(config: Configuration, url: string, asked: Asked): Promise<Claims> {
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  const tokens = await authorizationCodeGrant(config, new URL(url), {
    pkceCodeVerifier: asked.verifier,
    expectedState: asked.state,
    expectedNonce: asked.nonce,
    idTokenExpected: true,
  })
  const id = tokens.claims()
  if (!id) throw new Error('there is no ID token')
  // many providers return the address only from the userinfo endpoint
  const info = id['email'] === undefined ? await fetchUserInfo(config, tokens.access_token, id.sub) : id
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  return {
    issuer: id.iss,
    subject: id.sub,
    email: textOf(info['email']),
    is_verified: info['email_verified'] === true,
    name: textOf(plainName(info['name'])),
  }
}
