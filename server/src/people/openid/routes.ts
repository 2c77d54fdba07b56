import { people as api, type OpenIdRefusal } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import type { Context, Deps } from '../../platform/context.ts'
import { problem } from '../../platform/problem.ts'
import type { PeopleDependencies } from '../dependencies.ts'
import { cookies } from '../rules.ts'
import { cookieIn, setCookie, signedInCookies } from '../sessions/cookie.ts'
import { browserOf } from '../sign-in/routes.ts'
import * as actions from './actions.ts'
import { createProvider, ProviderError, type Provider } from './provider.ts'

const callback = '/v2/sign_in/openid/callback'

export const openIdRoutes =
  (dependencies: PeopleDependencies) =>
  (deps: Deps): Binding[] => {
    const { openid } = dependencies.config
    const provider = openid === null ? null : createProvider(openid)
    return [
      bind(api.startOpenIdSignIn, async ({ context, query }) => {
        const begun = await unlessFailed(context, () => configured(provider).begin(deps.public_url + callback))
        const return_to = actions.inPortal(query.return_to ?? '/')
        if ('refusal' in begun) return toSignIn(deps, begun.refusal, return_to)
        const sealed = actions.sealAsked(context, begun.asked, return_to)
        return redirect(begun.url, [openIdCookie(deps, sealed)])
      }),
      bind(api.finishOpenIdSignIn, async (request) => {
        const { context, headers, self } = request
        const { finish } = configured(provider)
        const asked = actions.openAsked(context, cookieIn(headers.cookie, deps.public_url, cookies.openid))
        if (!asked) return toSignIn(deps, 'expired', '/')
        const claims = await unlessFailed(context, () => finish(self, asked))
        if ('refusal' in claims) return toSignIn(deps, claims.refusal, asked.return_to)
        const result = await actions.signInByClaims(context, dependencies, claims, browserOf(request, deps))
        if ('refusal' in result) return toSignIn(deps, result.refusal, asked.return_to)
        const signed_in = signedInCookies(deps.public_url, result)
        return redirect(deps.public_url + asked.return_to, [...signed_in, openIdCookie(deps, null)])
      }),
    ]
  }

function configured(provider: Provider | null): Provider {
  if (!provider) throw problem('not-found', 'No identity provider is configured.')
  return provider
}

/** A browser loads this URL, so refusals become a portal page instead of an API error. */
async function unlessFailed<T>({ log }: Context, work: () => Promise<T>): Promise<T | actions.Refused> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    log.warn({ err: error }, 'a sign-in by the identity provider failed')
    return { refusal: error.reason }
  }
}

/** The requested page is kept for the other ways to sign in. */
function toSignIn(deps: Deps, refusal: OpenIdRefusal, return_to: string) {
  const query = new URLSearchParams({ openid_error: refusal, ...(return_to !== '/' && { return_to }) })
  return redirect(`${deps.public_url}/sign-in?${query.toString()}`, [openIdCookie(deps, null)])
}

const redirect = (location: string, set_cookies: string[]) => ({
  body: undefined,
  headers: { location, 'set-cookie': set_cookies },
})

const openIdCookie = ({ public_url }: Deps, sealed: string | null) =>
  setCookie(public_url, cookies.openid, sealed, actions.openIdLimit_s)
