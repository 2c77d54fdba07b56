import * as z from 'zod'
import { operation } from '../declare.ts'
import { passwordLength } from '../password-rule.ts'
import { roles } from '../roles.ts'
import { id, list, page, text, timestamp } from '../shapes.ts'
import { common, email, password, personName, role, sessionHeaders, signInResult } from './shapes.ts'

/** Members of the selected account or of the operator, and invitations. */

const members = { ...common, principals: ['member'], access: 'read' } as const
const owners = { ...common, principals: ['owner'], access: 'write' } as const
const open = { ...common, principals: ['anyone'], access: 'read' } as const

const person = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    email_proven_at: timestamp.nullable().meta({
      description:
        'When the person proved that the address is theirs. Null: they joined by a link that the inviter passed on.',
    }),
    role: z.enum(roles),
    time_zone: z.string().nullable(),
    has_second_factor: z.boolean(),
    member_since: timestamp,
    last_signed_in_at: timestamp.nullable(),
  })
  .meta({ id: 'Person' })
export const listPeople = operation({
  ...members,
  id: 'listPeople',
  summary: 'List the members of the account or of the operator',
  endpoint: 'GET /v2/people',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'People, in the order they joined.', body: list(person) } },
})

export const changeRole = operation({
  ...owners,
  id: 'changeRole',
  summary: 'Change a member’s role',
  description: 'Takes effect with the member’s next request. The role of the last owner cannot be changed.',
  endpoint: 'PATCH /v2/people/{person_id}',
  body: z.strictObject({ role }),
  responses: { 200: { description: 'The person.', body: z.object({ data: person }) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const removePerson = operation({
  ...owners,
  id: 'removePerson',
  summary: 'Remove a member from the account or from the operator',
  description:
    'Takes effect immediately. A person without any remaining membership is signed out everywhere. The last owner cannot be removed.',
  endpoint: 'DELETE /v2/people/{person_id}',
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found', 'conflict'],
})

const invitation = z.object({
  id,
  email: z.string(),
  role: z.enum(roles),
  invited_by: z.string(),
  mail_status: z.enum(['none', 'waiting', 'sent', 'failed']).meta({
    description: '`none`: the link was in the response to the invitation. Otherwise only the invited address gets it.',
  }),
  created_at: timestamp,
  expires_at: timestamp,
})

export const listInvitations = operation({
  ...members,
  id: 'listInvitations',
  summary: 'List open invitations',
  endpoint: 'GET /v2/invitations',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'Invitations without their links, oldest first.', body: list(invitation) } },
})

export const invitePerson = operation({
  ...owners,
  id: 'invitePerson',
  summary: 'Invite a person',
  description:
    'The link works once and expires after seven days. The service mails it to the address, and `url` is null. Without a mail relay, only this response contains the link; the person who accepts it belongs to this account only, until they prove the address. A new invitation to the same address replaces the previous one. Operator roles need a mailed invitation, or an address in the operator’s own domains.',
  endpoint: 'POST /v2/invitations',
  body: z.strictObject({ email, role }),
  responses: {
    201: {
      description: 'The invitation, with its link if it is not mailed.',
      body: z.object({ data: invitation.extend({ url: z.string().nullable() }) }),
    },
  },
  problems: ['conflict', 'invalid-input'],
})

export const withdrawInvitation = operation({
  ...owners,
  id: 'withdrawInvitation',
  summary: 'Withdraw an invitation',
  endpoint: 'DELETE /v2/invitations/{invitation_id}',
  responses: { 204: { description: 'Its link no longer works.', body: null } },
})

const token = text(100).min(1)

export const lookUpInvitation = operation({
  ...open,
  id: 'lookUpInvitation',
  summary: 'Look up an invitation',
  description: 'Used, withdrawn, expired, and unknown invitations get the same response.',
  endpoint: 'POST /v2/invitations/look_up',
  body: z.strictObject({ token }),
  responses: {
    200: {
      description:
        'The invitation. `has_password`: the address belongs to a person with a password, who gives it to accept. `proves_email`: the link was mailed. Otherwise `has_password` is always false.',
      body: z.object({
        data: z.object({
          email: z.string(),
          account_name: z.string(),
          role: z.enum(roles),
          invited_by: z.string(),
          expires_at: timestamp,
          has_password: z.boolean(),
          proves_email: z.boolean(),
        }),
      }),
    },
  },
  problems: ['not-found', 'invalid-input'],
  effect: 'read',
})

export const acceptInvitation = operation({
  ...open,
  id: 'acceptInvitation',
  summary: 'Accept an invitation',
  description: `New people send a name and choose a password of at least ${passwordLength.min} characters. With a mailed link, people who already have a password send that one; with a second factor, \`confirmSignIn\` is the next step. With a link that was passed on, everyone is a new person, who belongs to this account only.`,
  endpoint: 'POST /v2/invitations/accept',
  body: z.strictObject({ token, name: personName.optional(), password: password.optional() }),
  responses: {
    200: { description: 'Signed in, or a second factor is required.', body: signInResult, headers: sessionHeaders },
  },
  problems: ['unauthorized', 'not-found', 'conflict', 'invalid-input', 'not-ready'],
  effect: 'own',
})
