import { sql } from 'kysely'
import type { SecretColumns } from '../platform/secret-columns.ts'

/** The sealing context of the secrets that sign an account's notifications. */
export const signingContext = (account_id: string): string => `account:${account_id}:signing_secret`

const signing = {
  table: 'account',
  id: { id: 'bigint' },
  contextOf: ({ id = '' }) => signingContext(id),
} as const

export const accountSecrets: SecretColumns = {
  sealed: [
    { ...signing, column: 'signing_secret' },
    { ...signing, column: 'previous_signing_secret' },
  ],
  hashed: [
    {
      table: 'access_key',
      column: 'secret_hash',
      form: 'hex',
      is_live: sql<boolean>`revoked_at is null and coalesce(expires_at > now(), true)`,
    },
    { table: 'operator_key', column: 'secret_hash', form: 'hex', is_live: sql<boolean>`revoked_at is null` },
  ],
}
