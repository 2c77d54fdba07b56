import * as z from 'zod'
import { operation } from '../operation.ts'
import { passwordLength } from '../password-rule.ts'
import { roles } from '../roles.ts'
import { id, list, page, pathId, text, timestamp } from '../shapes.ts'
import { common, email, password, personName, role, sessionHeaders, signInResult } from './shapes.ts'

/** Who may use the account that is seen, or act for the operator: people, and invitations to become one of them. */

const members = { ...common, principals: ['member'], access: 'read' } as const
const owners = { ...common, principals: ['owner'], access: 'write' } as const
const open = { ...common, principals: ['anyone'], access: 'read' } as const

const person = z.object({
  id,
  name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  time_zone: z.string().nullable(),
  has_second_factor: z.boolean(),
  member_since: timestamp,
  last_signed_in_at: timestamp.nullable(),
})
const person_id = z.object({ person_id: pathId })

export const listPeople = operation({
  ...members,
  id: 'listPeople',
  summary: 'List the people of the account, or of the operator',
  method: 'GET',
  path: '/v2/people',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'People, in the order in which they joined.', body: list(person) } },
  problems: ['invalid-input'],
  effect: 'read',
})

export const changeRole = operation({
  ...owners,
  id: 'changeRole',
  summary: 'Change what somebody may do',
  description: 'Counts from their next request on. The last owner stays one.',
  method: 'PATCH',
  path: '/v2/people/{person_id}',
  params: person_id,
  body: z.strictObject({ role }),
  responses: { 200: { description: 'The person.', body: z.object({ data: person }) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
  effect: 'transaction',
})

export const removePerson = operation({
  ...owners,
  id: 'removePerson',
  summary: 'Remove somebody from the account, or from the operator’s people',
  description: 'Counts at once. Somebody who then belongs nowhere is signed out everywhere. The last owner stays.',
  method: 'DELETE',
  path: '/v2/people/{person_id}',
  params: person_id,
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found', 'conflict'],
  effect: 'transaction',
})

const invitation = z.object({
  id,
  email: z.string(),
  role: z.enum(roles),
  invited_by: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
})

export const listInvitations = operation({
  ...members,
  id: 'listInvitations',
  summary: 'List invitations that can still be accepted',
  method: 'GET',
  path: '/v2/invitations',
  query: z.object(page(100, 200)),
  responses: { 200: { description: 'Invitations, oldest first, never with their links.', body: list(invitation) } },
  problems: ['invalid-input'],
  effect: 'read',
})

export const invitePerson = operation({
  ...owners,
  id: 'invitePerson',
  summary: 'Invite somebody',
  description:
    'The link works once, for seven days, and is in this response and nowhere else. Another invitation of the same address replaces the one before it.',
  method: 'POST',
  path: '/v2/invitations',
  body: z.strictObject({ email, role }),
  responses: {
    201: {
      description: 'The invitation, with its link.',
      body: z.object({ data: invitation.extend({ url: z.string() }) }),
    },
  },
  problems: ['conflict', 'invalid-input'],
  effect: 'transaction',
})

export const withdrawInvitation = operation({
  ...owners,
  id: 'withdrawInvitation',
  summary: 'Withdraw an invitation',
  method: 'DELETE',
  path: '/v2/invitations/{invitation_id}',
  params: z.object({ invitation_id: pathId }),
  responses: { 204: { description: 'Its link no longer works.', body: null } },
  problems: ['not-found'],
  effect: 'transaction',
})

const token = text(100).min(1)

export const lookUpInvitation = operation({
  ...open,
  id: 'lookUpInvitation',
  summary: 'Say what an invitation is for',
  description: 'Used, withdrawn, expired and unknown invitations look the same.',
  method: 'POST',
  path: '/v2/invitations/look_up',
  body: z.strictObject({ token }),
  responses: {
    200: {
      description: 'The invitation. `has_password`: the address belongs to somebody who signs in to accept it.',
      body: z.object({
        data: z.object({
          email: z.string(),
          account_name: z.string(),
          role: z.enum(roles),
          invited_by: z.string(),
          expires_at: timestamp,
          has_password: z.boolean(),
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
  description: `Somebody new gives a name and chooses a password of at least ${passwordLength.min} characters. Somebody who has a password gives that one; with a second factor, \`confirmSignIn\` follows.`,
  method: 'POST',
  path: '/v2/invitations/accept',
  body: z.strictObject({ token, name: personName.optional(), password: password.optional() }),
  responses: { 200: { description: 'Signed in, or one more step.', body: signInResult, headers: sessionHeaders } },
  problems: ['unauthorized', 'not-found', 'conflict', 'invalid-input', 'not-ready'],
  effect: 'own',
})
