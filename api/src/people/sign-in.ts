import * as z from 'zod'
import { operation } from '../declare.ts'
import { roles } from '../roles.ts'
import { id, text } from '../shapes.ts'
import {
  common,
  credential,
  credentialOptions,
  password,
  recoveryCode,
  sessionHeaders,
  signedInResult,
  signInResult,
  totpCode,
} from './shapes.ts'

/** Sign-in: requests from a browser without a session. */

const open = { ...common, principals: ['anyone'], access: 'read' } as const

export const getSignInOptions = operation({
  ...open,
  id: 'getSignInOptions',
  summary: 'List the available sign-in methods',
  endpoint: 'GET /v2/sign_in',
  responses: {
    200: {
      description: 'The available sign-in methods. In demo mode, also the demo people, who need no password.',
      body: z.object({
        data: z.object({
          mode: z.enum(['demo', 'production']),
          demo_people: z.array(
            z.object({
              id,
              name: z.string(),
              email: z.string(),
              account_name: z.string().nullable(),
              role: z.enum(roles),
              story: z.string(),
            }),
          ),
          openid: z.object({ name: z.string() }).nullable(),
        }),
      }),
    },
  },
})

export const signIn = operation({
  ...open,
  id: 'signIn',
  summary: 'Sign in with an email address and a password',
  description: 'Unknown addresses and wrong passwords get the same response after the same time.',
  endpoint: 'POST /v2/sign_in',
  body: z.strictObject({ email: text(254).min(1), password }),
  responses: {
    200: {
      description: 'Signed in, or the ticket for `confirmSignIn` if the person has a second factor.',
      body: signInResult,
      headers: sessionHeaders,
    },
  },
  problems: ['unauthorized', 'invalid-input', 'not-ready'],
  effect: 'own',
})

export const confirmSignIn = operation({
  ...open,
  id: 'confirmSignIn',
  summary: 'Finish a sign-in with a second factor or a passkey',
  description:
    'Send the ticket and exactly one of `totp`, `recovery_code`, and `passkey`. A ticket is valid for ten minutes, and after a password for five attempts.',
  endpoint: 'POST /v2/sign_in/second_factor',
  body: z.strictObject({
    ticket: text(1000).min(1),
    totp: totpCode.optional(),
    recovery_code: recoveryCode.optional(),
    passkey: credential.optional(),
  }),
  responses: { 200: { description: 'Signed in.', body: signedInResult, headers: sessionHeaders } },
  problems: ['unauthorized', 'invalid-input'],
  effect: 'own',
})

export const beginPasskeySignIn = operation({
  ...open,
  id: 'beginPasskeySignIn',
  summary: 'Start signing in with only a passkey',
  description: 'Then send the passkey and the ticket to `confirmSignIn`.',
  endpoint: 'POST /v2/sign_in/passkey',
  responses: {
    200: {
      description: 'The ticket and the challenge for the authenticator to sign.',
      body: z.object({ data: z.object({ ticket: z.string(), passkey_options: credentialOptions }) }),
    },
  },
  effect: 'own',
})

export const signInAsDemoPerson = operation({
  ...open,
  id: 'signInAsDemoPerson',
  summary: 'Sign in as a demo person (demo mode)',
  endpoint: 'POST /v2/sign_in/demo',
  body: z.strictObject({ person_id: text(18).regex(/^\d{1,18}$/, 'Must be an ID: digits only.') }),
  responses: { 200: { description: 'Signed in.', body: signedInResult, headers: sessionHeaders } },
  problems: ['not-found', 'invalid-input'],
  effect: 'own',
})

const redirect = { Location: 'The next page for the browser.', ...sessionHeaders }

export const startOpenIdSignIn = operation({
  ...open,
  id: 'startOpenIdSignIn',
  summary: 'Sign in with the operator’s identity provider (OpenID Connect)',
  description: 'Open this URL in the browser. `return_to` is a portal path.',
  endpoint: 'GET /v2/sign_in/openid',
  query: z.object({ return_to: z.string().max(2000).optional() }),
  responses: { 302: { description: 'Redirect to the identity provider.', body: null, headers: redirect } },
  problems: ['not-found', 'invalid-input'],
  effect: 'own',
})

/** The provider's response. */
const fromProvider = z.string().max(4000).optional()

export const finishOpenIdSignIn = operation({
  ...open,
  id: 'finishOpenIdSignIn',
  summary: 'Return from the identity provider',
  description:
    'If the sign-in fails, the browser returns to the portal’s sign-in page with the reason in `openid_error`.',
  endpoint: 'GET /v2/sign_in/openid/callback',
  query: z.object({
    code: fromProvider,
    state: fromProvider,
    iss: fromProvider,
    session_state: fromProvider,
    error: fromProvider,
    error_description: fromProvider,
  }),
  responses: {
    302: {
      description: 'Redirect to the portal, signed in or with the reason for the failure.',
      body: null,
      headers: redirect,
    },
  },
  problems: ['not-found', 'invalid-input'],
  effect: 'own',
})
