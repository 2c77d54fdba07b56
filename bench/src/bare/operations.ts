import pg, { type QueryConfig, type QueryResultRow } from 'pg'
import type { e911 } from '@demarc/client'
import { cnamResource } from '../../../server/src/cnam/document.ts'
import type { CnamRow } from '../../../server/src/cnam/store.ts'
import { checkAddress } from '../../../server/src/e911/rules.ts'
import { findConflicts } from '../../../server/src/e911/store.ts'
import { canonicalKey, localValidator, type Validator } from '../../../server/src/engines/addresses/index.ts'
import { activeStreets } from '../../../server/src/engines/street-data/index.ts'
import { systemActor } from '../../../server/src/platform/actor.ts'
import { kyselyForClient, type Db } from '../../../server/src/platform/db.ts'
import { statusDocument } from '../../../server/src/port-orders/document.ts'
import { findOrder } from '../../../server/src/port-orders/store.ts'

/**
 * Handlers that run Demarc's statements, documents, and address validator and nothing else: no request validation, limits, log, or
 * metrics. The ratio of Demarc to them is the cost of the HTTP layer.
 */

/** Node's HTTP server, pg, and these credentials. */
export interface Bare {
  database_url: string
  access_key: string
  secret_key: string
  account_id: string
  base_url: string
  query: (statement: QueryConfig) => Promise<QueryResultRow[]>
}

export type BareOperation = (
  bare: Bare,
  request: { path: string; search: URLSearchParams; body: unknown },
) => Promise<{ status: number; body: string }>

const time_zone = 'America/New_York'

const names = `select account_id, id, value, is_approved, approved_at, created_at, rejection_reason from cnam
  where account_id = $1 order by id limit $2 offset $3`

export const listCnams: BareOperation = async ({ account_id, base_url, query }, { path, search }) => {
  const limit = Number(search.get('limit'))
  const rows = (await query({ name: 'cnams', text: names, values: [account_id, limit + 1, 0] })) as CnamRow[]
  const data = rows.slice(0, limit).map((row) => cnamResource({ public_url: base_url, time_zone }, row))
  const page = (offset: number) => `${base_url}${path}?limit=${limit}&offset=${offset}`
  const links = { self: page(0), ...(rows.length > limit ? { next: page(limit) } : {}) }
  return { status: 200, body: JSON.stringify({ data, links }) }
}

export const getStatus: BareOperation = async (bare, { path }) => {
  const { account_id, base_url } = bare
  const row = await findOrder(executorOf(bare), systemActor('bench', account_id), path.split('/')[3] ?? '')
  if (!row) return { status: 404, body: '' }
  return { status: 200, body: JSON.stringify(statusDocument({ public_url: base_url, time_zone }, row)) }
}

export const validateE911: BareOperation = async (bare, { body }) => {
  const { data } = body as { data: { attributes: e911.E911Change } }
  const checked = checkAddress(data.attributes)
  if (!checked.ok) return { status: 422, body: '' }
  const { label } = checked.attributes
  const executor = executorOf(bare)
  const keys = [canonicalKey(checked.address)]
  const conflicts = await findConflicts(executor, bare.account_id, { label, keys, except: null })
  const outcome = await validatorOf(executor).validate(checked.address)
  return { status: conflicts.place || conflicts.label || outcome.kind !== 'ok' ? 422 : 204, body: '' }
}

let executor: Db | undefined
const executorOf = (bare: Bare): Db => (executor ??= namedStatements(bare))

let validator: Validator | undefined
const validatorOf = (db: Db): Validator =>
  (validator ??= localValidator({ streets: activeStreets(db), min_level: 'auto' }))

/** An executor for Demarc's stores that runs each statement by name on the pool. */
function namedStatements({ query }: Bare): Db {
  const names = new Map<string, string>()
  // it only compiles statements and never connects
  const db = kyselyForClient(new pg.Client())
  const executeQuery = async ({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) => {
    const name = names.get(text) ?? `bare_${names.size}`
    names.set(text, name)
    return { rows: await query({ name, text, values: [...parameters] }) }
  }
  return Object.assign(db, { executeQuery })
}
