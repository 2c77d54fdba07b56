import { sql } from 'kysely'
import type { SecretColumns } from '../platform/secret-columns.ts'

/** The sealing context of the secret of a person's authenticator app. */
export const totpContext = (person_id: string): string => `person:${person_id}:totp`

/** The sealing context of a token that waits to be mailed. */
export const mailTokenContext = 'invitation:mail-token'

const totp = { table: 'person', id: { id: 'bigint' }, contextOf: ({ id = '' }) => totpContext(id) } as const

/** Tickets, which last minutes, and known browsers, which only change a limit, are left out. */
export const peopleSecrets: SecretColumns = {
  sealed: [
    { ...totp, column: 'totp_secret' },
    { ...totp, column: 'totp_pending' },
    { table: 'invitation', column: 'mail_token', id: { id: 'bigint' }, contextOf: () => mailTokenContext },
  ],
  hashed: [
    { table: 'person', column: 'password_hash', form: 'phc', is_live: sql<boolean>`true` },
    { table: 'person_session', column: 'token_hash', form: 'bytes', is_live: sql<boolean>`true` },
    { table: 'recovery_code', column: 'code_hash', form: 'bytes', is_live: sql<boolean>`used_at is null` },
    { table: 'invitation', column: 'token_hash', form: 'bytes', is_live: sql<boolean>`ended_at is null` },
  ],
}
