import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Configuration } from 'oidc-provider'

/** A real identity provider on loopback. The service is its only client. */

const client = { client_id: 'demarc', client_secret: 'a secret that only the test has' }
const interaction_path = '/interaction'

export interface OpenIdProvider {
  issuer: string
  /** Settings for a service that uses it. */
  settings: Record<string, string>
  /** The next person to sign in; an account's id is its email address. */
  who: { email: string; email_verified: boolean }
  /** Whether it shows a page to continue or cancel. Otherwise sign-in continues automatically. */
  asks: boolean
  /** Whether the signature of its ID tokens is wrong. */
  forges: boolean
  /** Sets the URL that users return to, once the service is running. */
  allow(base_url: string): void
  stop(): void
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const http = createServer((request, response) => void handle(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  let handle: ReturnType<Provider['callback']> = async () => undefined
  const made: OpenIdProvider = {
    issuer,
    settings: {
      DEMARC_OPENID_ISSUER: issuer,
      DEMARC_OPENID_CLIENT_ID: client.client_id,
      DEMARC_OPENID_CLIENT_SECRET: client.client_secret,
      DEMARC_OPENID_NAME: 'Harbor ID',
    },
    who: { email: '', email_verified: true },
    asks: false,
    forges: false,
    allow(base_url) {
      handle = providerFor(made, `${base_url}/v2/sign_in/openid/callback`).callback()
    },
    stop() {
      http.closeAllConnections()
      http.close()
    },
  }
  return made
}

function providerFor(made: OpenIdProvider, redirect_uri: string): Provider {
  const provider = new Provider(made.issuer, {
    ...configuration,
    clients: [
      { ...client, redirect_uris: [redirect_uri], response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ sub, name: 'From the provider', ...made.who }) }
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    const tokens: unknown = ctx.body
    if (!made.forges || typeof tokens !== 'object' || tokens === null || !('id_token' in tokens)) return
    const [head, claims, signature = ''] = String(tokens.id_token).split('.')
    tokens.id_token = [head, claims, signature.split('').toReversed().join('')].join('.')
  })
  provider.use(async (ctx, next) => {
    if (ctx.path !== interaction_path) return await next()
    const { consent: choice } = ctx.query
    if (made.asks && choice === undefined) {
      ctx.type = 'html'
      ctx.body = '<h1>Harbor ID</h1><a href="?consent=yes">Go on</a> <a href="?consent=no">Cancel</a>'
      return
    }
    ctx.respond = false
    if (choice === 'no') return await provider.interactionFinished(ctx.req, ctx.res, { error: 'access_denied' })
    const { email } = made.who
    const grant = new provider.Grant({ accountId: email, clientId: client.client_id })
    grant.addOIDCScope('openid email profile')
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: email }, consent })
  })
  return provider
}

const configuration: Configuration = {
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: () => interaction_path },
  pkce: { required: () => true },
  cookies: { keys: ['a key for tests'] },
  ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
}
