import * as z from 'zod'
import { operation } from '../declare.ts'
import { id, timestamp } from '../shapes.ts'
import {
  common,
  credential,
  credentialOptions,
  password,
  recoveryCode,
  secondFactors,
  session,
  sessionHeaders,
  totpCode,
} from './shapes.ts'

/** Sessions of the signed-in person. */

const own = { ...common, principals: ['person'] } as const

export const getSession = operation({
  ...common,
  principals: ['anyone'],
  id: 'getSession',
  summary: 'Get the session of this browser',
  description: 'Reads only the session’s cookie. Access keys have no session.',
  endpoint: 'GET /v2/session',
  responses: {
    200: {
      description: 'The session and its person; null if no one is signed in.',
      body: z.object({ data: session.nullable() }),
    },
  },
})

export const signOut = operation({
  ...own,
  id: 'signOut',
  summary: 'Sign out',
  endpoint: 'DELETE /v2/session',
  responses: { 204: { description: 'The session has ended.', body: null, headers: sessionHeaders } },
})

export const beginConfirmation = operation({
  ...own,
  id: 'beginConfirmation',
  summary: 'Start confirming your identity',
  endpoint: 'POST /v2/session/confirm/options',
  responses: {
    200: {
      description: 'The available confirmation methods. If there are none, sign out and sign in again.',
      body: z.object({
        data: z.object({
          methods: z.array(z.enum(['password', ...secondFactors])),
          passkey_options: credentialOptions.nullable(),
        }),
      }),
    },
  },
})

export const confirmIdentity = operation({
  ...own,
  id: 'confirmIdentity',
  summary: 'Confirm your identity before changing a password or a second factor',
  description:
    'Send exactly one of `password`, `totp`, `recovery_code`, and `passkey`. The confirmation lasts ten minutes.',
  endpoint: 'POST /v2/session/confirm',
  body: z.strictObject({
    password: password.optional(),
    totp: totpCode.optional(),
    recovery_code: recoveryCode.optional(),
    passkey: credential.optional(),
  }),
  responses: { 200: { description: 'The session.', body: z.object({ data: session }) } },
  problems: ['invalid-input', 'rate-limited', 'not-ready'],
  effect: 'own',
  repeatable: true,
})

export const listSessions = operation({
  ...own,
  id: 'listSessions',
  summary: 'List your sessions',
  endpoint: 'GET /v2/sessions',
  responses: {
    200: {
      description: 'Sessions, most recently used first; at most 100.',
      body: z.object({
        data: z.array(
          z.object({
            id,
            is_current: z.boolean(),
            method: z.enum(['password', 'passkey', 'openid', 'invitation', 'demo']),
            remote_ip: z.string(),
            user_agent: z.string().nullable(),
            started_at: timestamp,
            last_used_at: timestamp,
            idle_expires_at: timestamp,
            expires_at: timestamp,
          }),
        ),
      }),
    },
  },
})

export const endSession = operation({
  ...own,
  id: 'endSession',
  summary: 'End a session',
  endpoint: 'DELETE /v2/sessions/{session_id}',
  responses: { 204: { description: 'Ended.', body: null } },
})

export const endOtherSessions = operation({
  ...own,
  id: 'endOtherSessions',
  summary: 'Sign out everywhere else',
  endpoint: 'DELETE /v2/sessions',
  responses: { 204: { description: 'All other sessions of the person have ended.', body: null } },
})
