import { roleTexts, type Role } from '@demarc/client'
import type { Message } from '../../platform/mail/message.ts'
import { limits } from '../rules.ts'

/** The email that belongs to signing in. Pure. */

export interface InvitationFacts {
  account_name: string
  role: Role
  invited_by: string
  url: string
}

/** The invitation, with the link that proves the address. */
export const invitationMessage = ({ account_name, role, invited_by, url }: InvitationFacts): Message => ({
  subject: `Invitation to ${account_name}`,
  sections: [
    {
      title: `${invited_by} invites you to ${account_name}`,
      paragraphs: [
        `Your role: ${roleTexts[role].name}. ${roleTexts[role].allows}`,
        `The link works once, for ${limits.invitation_days} days. Don’t forward this message: anyone who opens the link joins as you.`,
        'If you don’t know the sender, delete this message. Nothing happens until you open the link and confirm.',
      ],
      link: { label: 'Join', url },
    },
  ],
  footer: [],
})

/** Tells the owner of an address which sign-ins its proof ended. */
export const addressProvenMessage = ({ account_names, url }: { account_names: string[]; url: string }): Message => ({
  subject: 'Earlier sign-ins with your address were removed',
  sections: [
    {
      title: 'Earlier sign-ins with your address were removed',
      paragraphs: [
        'You confirmed that this address is yours. Before that, someone had joined under it with a link that was not mailed to you.',
        'Their password, second factors, passkeys, sessions, and known devices no longer work. If that was you, sign in the way you just did, or set a new password under Settings.',
        `You now belong to: ${account_names.join(', ')}. If you don’t expect one of these, ask its owner to remove you.`,
      ],
      link: { label: 'Review how you sign in', url },
    },
  ],
  footer: [],
})
