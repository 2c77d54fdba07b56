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

/** Sessions of the person who is signed in. */

const own = { ...common, principals: ['person'] } as const

export const getSession = operation({
  ...own,
  id: 'getSession',
  summary: 'Get the session of this browser',
  method: 'GET',
  path: '/v2/session',
  access: 'read',
  responses: { 200: { description: 'Who is signed in.', body: z.object({ data: session }) } },
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
  summary: 'Begin to prove again who one is',
  method: 'POST',
  path: '/v2/session/confirm/options',
  access: 'write',
  responses: {
    200: {
      description: 'What the person can prove it with. None: sign out, and sign in again.',
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
  summary: 'Prove again who one is, before a password or a second factor is changed',
  description: 'With exactly one of `password`, `totp`, `recovery_code` and `passkey`. It counts for ten minutes.',
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
  summary: 'List the sessions of the person who is signed in',
  method: 'GET',
  path: '/v2/sessions',
  access: 'read',
  responses: {
    200: {
      description: 'Sessions, the most recently used first; at most 100.',
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
