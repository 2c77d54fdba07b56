import * as z from 'zod'
import { operation } from '../declare.ts'
import { id, line, timestamp } from '../shapes.ts'
import {
  common,
  credential,
  credentialOptions,
  newPassword,
  password,
  personName,
  session,
  timeZone,
  totpCode,
} from './shapes.ts'

/** The signed-in person's profile: name, password, and second factors. */

const own = { ...common, principals: ['person'], access: 'write' } as const
const codes = z.object({
  data: z.object({
    recovery_codes: z
      .array(z.string())
      .meta({ description: 'Each code works once. Only this response contains them.' }),
  }),
})

export const updatePerson = operation({
  ...own,
  id: 'updatePerson',
  summary: 'Change your name or time zone',
  endpoint: 'PATCH /v2/person',
  body: z.strictObject({ name: personName.optional(), time_zone: timeZone.nullish() }),
  responses: { 200: { description: 'The session with the updated person.', body: z.object({ data: session }) } },
})

export const changePassword = operation({
  ...own,
  id: 'changePassword',
  summary: 'Change your password',
  description:
    'Ends all other sessions. A person without a password omits `current_password`, and must have confirmed their identity in the last ten minutes.',
  endpoint: 'POST /v2/person/password',
  body: z.strictObject({ current_password: password.optional(), new_password: newPassword }),
  responses: { 204: { description: 'Changed.', body: null } },
  problems: ['confirmation-required', 'invalid-input', 'not-ready'],
  effect: 'own',
  repeatable: true,
})

export const beginTotp = operation({
  ...own,
  id: 'beginTotp',
  summary: 'Start setting up an authenticator app',
  description: 'The app becomes active when you send one of its codes to `confirmTotp`.',
  endpoint: 'POST /v2/person/totp',
  responses: {
    200: {
      description: 'The secret for the app, also as a URL for a QR code.',
      body: z.object({ data: z.object({ secret: z.string(), otpauth_url: z.string() }) }),
    },
  },
  problems: ['confirmation-required', 'conflict'],
})

export const confirmTotp = operation({
  ...own,
  id: 'confirmTotp',
  summary: 'Finish setting up an authenticator app',
  endpoint: 'POST /v2/person/totp/confirm',
  body: z.strictObject({ code: totpCode }),
  responses: {
    200: { description: 'The app is active. The new recovery codes replace all earlier ones.', body: codes },
  },
  problems: ['confirmation-required', 'conflict', 'invalid-input'],
})

export const removeTotp = operation({
  ...own,
  id: 'removeTotp',
  summary: 'Remove the authenticator app',
  endpoint: 'DELETE /v2/person/totp',
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['confirmation-required', 'not-found'],
})

export const renewRecoveryCodes = operation({
  ...own,
  id: 'renewRecoveryCodes',
  summary: 'Create new recovery codes',
  description: 'All earlier codes stop working.',
  endpoint: 'POST /v2/person/recovery_codes',
  responses: { 200: { description: 'The new codes.', body: codes } },
  problems: ['confirmation-required', 'conflict'],
})

const passkey = z.object({ id, name: z.string(), created_at: timestamp, last_used_at: timestamp.nullable() })

export const listPasskeys = operation({
  ...own,
  id: 'listPasskeys',
  summary: 'List your passkeys',
  endpoint: 'GET /v2/person/passkeys',
  access: 'read',
  responses: {
    200: { description: 'Passkeys, oldest first; at most 20.', body: z.object({ data: z.array(passkey) }) },
  },
})

export const beginPasskey = operation({
  ...own,
  id: 'beginPasskey',
  summary: 'Start adding a passkey',
  endpoint: 'POST /v2/person/passkeys/options',
  responses: {
    200: {
      description: 'Options for the authenticator. They can be used once, within five minutes.',
      body: z.object({ data: z.object({ passkey_options: credentialOptions }) }),
    },
  },
  problems: ['confirmation-required', 'conflict'],
})

export const addPasskey = operation({
  ...own,
  id: 'addPasskey',
  summary: 'Add the passkey created by the authenticator',
  endpoint: 'POST /v2/person/passkeys',
  body: z.strictObject({
    name: line(100)
      .min(1)
      .meta({ examples: ['Work laptop'] }),
    passkey: credential,
  }),
  responses: {
    201: {
      description:
        'The passkey. If it is the first second factor, the response also has recovery codes. Only this response contains them.',
      body: z.object({ data: passkey.extend({ recovery_codes: z.array(z.string()).nullable() }) }),
    },
  },
  problems: ['confirmation-required', 'conflict', 'invalid-input'],
})

export const removePasskey = operation({
  ...own,
  id: 'removePasskey',
  summary: 'Remove a passkey',
  endpoint: 'DELETE /v2/person/passkeys/{passkey_id}',
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['confirmation-required', 'not-found'],
})
