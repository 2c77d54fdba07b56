import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, pathId, timestamp } from '../shapes.ts'
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
  ...own,
  id: 'getSession',
  summary: 'Get the session of this browser',
  method: 'GET',
  path: '/v2/session',
  access: 'read',
  responses: { 200: { description: 'The session and its person.', body: z.object({ data: session }) } },
  problems: [],
  effect: 'read',
})

export const signOut = operation({
  ...own,
  id: 'signOut',
  summary: 'Sign out',
  method: 'DELETE',
  path: '/v2/session',
  access: 'write',
  responses: { 204: { description: 'The session has ended.', body: null, headers: sessionHeaders } },
  problems: [],
  effect: 'transaction',
})

export const beginConfirmation = operation({
  ...own,
  id: 'beginConfirmation',
  summary: 'Start confirming your identity',
  method: 'POST',
  path: '/v2/session/confirm/options',
  access: 'write',
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
  problems: [],
  effect: 'transaction',
})

export const confirmIdentity = operation({
  ...own,
  id: 'confirmIdentity',
  summary: 'Confirm your identity before changing a password or a second factor',
  description:
    'Send exactly one of `password`, `totp`, `recovery_code`, and `passkey`. The confirmation lasts ten minutes.',
  method: 'POST',
  path: '/v2/session/confirm',
  access: 'write',
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
  method: 'GET',
  path: '/v2/sessions',
  access: 'read',
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
  problems: [],
  effect: 'read',
})

export const endSession = operation({
  ...own,
  id: 'endSession',
  summary: 'End a session',
  method: 'DELETE',
  path: '/v2/sessions/{session_id}',
  access: 'write',
  params: z.object({ session_id: pathId }),
  responses: { 204: { description: 'Ended.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
})

export const endOtherSessions = operation({
  ...own,
  id: 'endOtherSessions',
  summary: 'Sign out everywhere else',
  method: 'DELETE',
  path: '/v2/sessions',
  access: 'write',
  responses: { 204: { description: 'All other sessions of the person have ended.', body: null } },
  problems: [],
  effect: 'transaction',
})
