import * as z from 'zod'
import { accountRoles, roles } from '../roles.ts'
import { id, isPlainLine, line, text, timestamp } from '../shapes.ts'
import { isZone } from '../zone-time.ts'
import { passwordLength, passwordTooShort } from '../password-rule.ts'

/** Schemas shared by the operations on people. */

export const common = { feature: 'people', media: 'json' } as const

export const role = z.enum(roles, `Must be one of ${roles.join(', ')}.`).meta({
  description: `On an account: ${accountRoles.join(', ')}. For the operator: operator, operator_read_only.`,
})

/** An email address as typed; comparisons ignore case. */
export const email = z
  .string()
  .trim()
  .max(254, 'At most 254 characters.')
  .regex(/^[^\s@<>"\0]+@[^\s@<>"\0]+\.[^\s@<>"\0.]+$/, 'Must be an email address, such as mia@example.com.')
  .refine(isPlainLine, 'Must be an email address, such as mia@example.com.')

/** An existing password. It is only compared, so it needs no minimum length. */
export const password = text(passwordLength.max).min(1)

/** A new password. */
export const newPassword = text(passwordLength.max).min(passwordLength.min, passwordTooShort)

export const personName = z
  .string()
  .trim()
  .pipe(line(100).min(1))
  .meta({ examples: ['Rosa Diaz'] })

/** Name of a time zone in the IANA database. */
export const timeZone = text(100).refine(isZone, 'Must be an IANA time zone, such as America/Los_Angeles.')

const credentialId = text(2000).meta({ examples: ['mGqJZ1cVYk2Tn0xQ4dLwSg'] })

/** A response of an authenticator, as browsers give it (`PublicKeyCredential.toJSON()`). */
export const credential = z
  .looseObject({ id: credentialId, rawId: credentialId, response: z.looseObject({}), type: z.literal('public-key') })
  .meta({ description: 'The credential as `PublicKeyCredential.toJSON()` returns it.' })

/** Options for an authenticator, as browsers read them (`PublicKeyCredential.parseRequestOptionsFromJSON()`). */
export const credentialOptions = z
  .record(z.string(), z.unknown())
  .meta({ description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON()` or `parseCreationOptionsFromJSON()`.' })

/** Second factors. */
export const secondFactors = ['totp', 'passkey', 'recovery_code'] as const
export type SecondFactor = (typeof secondFactors)[number]

/** Six digits; spaces are ignored because people type them. */
export const totpCode = z
  .string()
  .transform((code) => code.replace(/\s/g, ''))
  .refine((code) => /^\d{6}$/.test(code), 'Must be the six digits that the app shows.')
  .meta({ wire: { type: 'string', pattern: '^[0-9 ]{6,7}$' } })

export const recoveryCode = text(50).min(1)

/** A session: the signed-in person, their memberships, and when it expires. */
export const session = z
  .object({
    id,
    person: z.object({
      id,
      name: z.string(),
      email: z.string(),
      time_zone: z.string().nullable(),
      has_password: z.boolean(),
      has_totp: z.boolean(),
      passkey_count: z.int(),
      recovery_codes_left: z.int(),
    }),
    memberships: z
      .array(z.object({ account_id: id.nullable(), account_name: z.string(), role: z.enum(roles) }))
      .meta({ description: 'The accounts the person can act for. A null `account_id` is the operator.' }),
    csrf_token: z
      .string()
      .meta({ description: 'Send it in the Demarc-CSRF header with every request that uses the cookie.' }),
    now: timestamp.meta({ description: 'The service’s time, which can be moved forward in demo mode.' }),
    started_at: timestamp,
    idle_expires_at: timestamp.meta({ description: 'When the session ends if it is not used.' }),
    expires_at: timestamp.meta({ description: 'When the session ends regardless of use.' }),
    confirmed_until: timestamp.meta({
      description: 'How long passwords and second factors can be changed without confirming your identity again.',
    }),
  })
  .meta({ id: 'Session' })

const signedIn = z.object({ status: z.literal('signed_in'), session })
const unfinished = z.object({
  status: z.literal('second_factor'),
  ticket: z.string(),
  methods: z.array(z.enum(secondFactors)),
  passkey_options: credentialOptions.nullable(),
})

/** The response to a password or a link: signed in, or a second factor is required. */
export const signInResult = z.object({ data: z.discriminatedUnion('status', [signedIn, unfinished]) })
/** The response to the last step. */
export const signedInResult = z.object({ data: signedIn })

/** The header that carries the session. */
export const sessionHeaders = {
  'Set-Cookie':
    'The session: HttpOnly, SameSite=Lax, and if the service uses TLS, Secure with the prefix `__Host-`. A second cookie marks the browser as known.',
}
