import type { QueryConfig, QueryResultRow } from 'pg'

/**
 * The baseline that operations are measured against: node:http, the same credentials check (keyed hash, constant time, cached),
 * the same SQL as a named statement, the same JSON. No validation of requests, no limits, no log, no metrics.
 */
export interface BareOptions {
  database_url: string
  access_key: string
  secret_key: string
  account_id: string
  base_url: string
}

/** What a bare handler has. */
export interface Bare extends BareOptions {
  query: (statement: QueryConfig) => Promise<QueryResultRow[]>
}

export type BareOperation = (
  bare: Bare,
  request: { path: string; search: URLSearchParams; body: unknown },
) => Promise<{ status: number; body: string }>
