/** Accounts for export tests. */

import { ALL_TIME, callRecord } from './records.ts'
import type { CdrQuery, CdrRecord, Warehouse } from '../types.ts'

export type Account = {
  /** All of its records. */
  query: CdrQuery
  record: (overrides?: Partial<CdrRecord>) => CdrRecord
}

let accounts = 0

export function freshAccount(): Account {
  const account_id = String(80_000 + (accounts += 1))
  return { query: { account_id, filter: ALL_TIME }, record: (overrides) => callRecord({ account_id, ...overrides }) }
}

/** A large record; 20,000 of these exceed every buffer between the engine and the reader. */
export function bulkyRecord(overrides: Partial<CdrRecord>): CdrRecord {
  return callRecord({ line_information: 'x'.repeat(300), ...overrides })
}

/** An account with `count` bulky records, ids r0, r1 and so on. */
export async function bulkyAccount(warehouse: Warehouse, count = 20_000): Promise<Account> {
  const account = freshAccount()
  const { account_id } = account.query
  await warehouse.insert(Array.from({ length: count }, (_, index) => bulkyRecord({ account_id, id: `r${index}` })))
  return account
}
