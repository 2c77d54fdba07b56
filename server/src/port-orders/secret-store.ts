import { sql } from 'kysely'
import type { SecretColumns } from '../platform/secret-columns.ts'

/** The sealing context of a secret of an order. */
export const sealContext = (
  { account_id, id }: { account_id: string; id: string },
  field: 'pin' | 'last_4_ssn',
): string => `portorder:${account_id}:${id}:${field}`

const secretOf = (column: 'pin' | 'last_4_ssn') => ({
  table: 'port_order',
  column,
  id: { account_id: 'bigint', id: 'bigint' } as const,
  contextOf: ({ account_id = '', id = '' }) => sealContext({ account_id, id }, column),
})

export const portOrderSecrets: SecretColumns = {
  sealed: [secretOf('pin'), secretOf('last_4_ssn')],
  hashed: [{ table: 'port_order_calendar', column: 'secret_hash', form: 'bytes', is_live: sql<boolean>`true` }],
}
