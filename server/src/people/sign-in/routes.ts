import { people as api } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import type { OperationRequest } from '../../platform/http/binding.ts'
import type { Deps } from '../../platform/context.ts'
import type { Browser, PeopleDependencies } from '../dependencies.ts'
import { deviceTokenIn, signedInCookies } from '../sessions/cookie.ts'
import { listDemoPeople } from '../store.ts'
import * as actions from './actions.ts'

/** The browser that sent a request. */
export const browserOf = (
  { headers, remote_ip }: Pick<OperationRequest<never>, 'headers' | 'remote_ip'>,
  { public_url }: Pick<Deps, 'public_url'>,
): Browser => ({
  remote_ip,
  user_agent: headers['user-agent'] ?? null,
  device: deviceTokenIn(headers.cookie, public_url),
})

/** The response for the newly signed-in person, with the cookies. */
export const signedInResponse = (deps: Deps, { session, ...tokens }: actions.SignedIn) => ({
  body: { data: { status: 'signed_in' as const, session } },
  headers: { 'set-cookie': signedInCookies(deps.public_url, tokens) },
})

/** The same, or one more step. */
export const signInResponse = (deps: Deps, result: actions.SignInResult) =>
  'status' in result ? { body: { data: result } } : signedInResponse(deps, result)

export const signInRoutes =
  (dependencies: PeopleDependencies) =>
  (deps: Deps): Binding[] => [
    bind(api.getSignInOptions, async ({ context }) => {
      const { mode, openid } = dependencies.config
      const cast = mode === 'demo' ? await listDemoPeople(context.tx) : []
      const demo_people = cast.map(({ demo_story, ...person }) => ({ ...person, story: demo_story }))
      return { body: { data: { mode, demo_people, openid: openid && { name: openid.name } } } }
    }),
    bind(api.signIn, async (request) =>
      signInResponse(deps, await actions.signIn(request.context, dependencies, request.body, browserOf(request, deps))),
    ),
    bind(api.confirmSignIn, async (request) =>
      signedInResponse(
        deps,
        await actions.confirmSignIn(request.context, dependencies, request.body, browserOf(request, deps)),
      ),
    ),
    bind(api.beginPasskeySignIn, async ({ context }) => ({
      body: { data: await actions.beginPasskeySignIn(context) },
    })),
    bind(api.signInAsDemoPerson, async (request) => {
      const { context, body } = request
      const signed_in = await actions.signInAsDemoPerson(
        context,
        dependencies,
        body.person_id,
        browserOf(request, deps),
      )
      return signedInResponse(deps, signed_in)
    }),
  ]
