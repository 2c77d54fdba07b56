import type { Context } from '../../platform/context.ts'

/** The forms of an invitation's token that the database may have. */
export const tokenHashes = (c: Pick<Context, 'vault'>, token: string): Buffer[] =>
  c.vault.hashesOf(`invitation:${token}`)

/** The form of a link's token that the database stores. */
export const tokenHash = (c: Pick<Context, 'vault'>, token: string): Buffer => c.vault.hashSecret(`invitation:${token}`)

/** Mails an invitation. The key is its id. */
export const mailInvitationJob = 'mail-invitation'

/** The portal page that accepts it. The token is in the fragment, which browsers never send to a server. */
export const invitationUrl = ({ public_url }: Pick<Context, 'public_url'>, token: string): string =>
  `${public_url}/invitation#${token}`
