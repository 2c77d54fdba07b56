import { sql, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import { constraintOf, type Executor } from '../platform/db.ts'
import {
  countRows,
  containsText,
  hasValue,
  lockRowForKeyShare,
  isRow,
  namesById,
  type RowKey,
} from '../platform/rows.ts'
import type { EdgeStrategyTable, VoiceRouteTable, VoiceRouteType } from './tables.ts'

export type VoiceRouteRow = Selectable<VoiceRouteTable>
export type EdgeStrategyRow = Selectable<EdgeStrategyTable>

const routeColumns = ['account_id', 'id', 'alias', 'route_type', 'value', 'edge_strategy_id', 'created_at'] as const
const edgeColumns = ['id', 'name', 'description', 'firewall_rules', 'naptr'] as const

interface VoiceRouteListValues {
  alias: string | undefined
  route_type: VoiceRouteType | undefined
  limit: number
  offset: number
}

export async function listVoiceRoutes(
  db: Executor,
  actor: Pick<Actor, 'account_id'>,
  { alias, route_type, limit, offset }: VoiceRouteListValues,
): Promise<VoiceRouteRow[]> {
  return await db
    .selectFrom('route')
    .select(routeColumns)
    .where(visibleTo(actor))
    .where(containsText('alias', alias))
    .where(hasValue('route_type', route_type))
    .orderBy('id')
    .orderBy('account_id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function findVoiceRoute(db: Executor, actor: Actor, id: string): Promise<VoiceRouteRow | undefined> {
  return await voiceRouteById(db, actor, id).executeTakeFirst()
}

/** The voice route, locked for update until the transaction ends. */
export async function lockVoiceRouteForUpdate(
  tx: Executor,
  actor: Actor,
  id: string,
): Promise<VoiceRouteRow | undefined> {
  return await voiceRouteById(tx, actor, id).forUpdate().executeTakeFirst()
}

function voiceRouteById(db: Executor, actor: Actor, id: string) {
  return db
    .selectFrom('route')
    .select(routeColumns)
    .where('id', '=', id)
    .where(visibleTo(actor))
    .orderBy('account_id')
    .limit(1)
}

/**
 * Whether the account has the voice route. If so, it is locked for key share and cannot be deleted before the transaction ends.
 */
export async function lockVoiceRouteForShare(tx: Executor, account_id: string, id: string): Promise<boolean> {
  return await lockRowForKeyShare(tx, 'route', { account_id, id })
}

export async function insertVoiceRoute(tx: Executor, route: Omit<VoiceRouteRow, 'id'>): Promise<VoiceRouteRow> {
  return await tx.insertInto('route').values(route).returning(routeColumns).executeTakeFirstOrThrow()
}

export async function updateVoiceRoute(
  tx: Executor,
  row: RowKey,
  change: Partial<VoiceRouteRow>,
): Promise<VoiceRouteRow> {
  return await tx.updateTable('route').set(change).where(isRow(row)).returning(routeColumns).executeTakeFirstOrThrow()
}

export async function deleteVoiceRoute(tx: Executor, row: RowKey): Promise<void> {
  await tx.deleteFrom('route').where(isRow(row)).execute()
}

export async function listEdgeStrategies(db: Executor): Promise<EdgeStrategyRow[]> {
  return await db.selectFrom('edge_strategy').select(edgeColumns).orderBy('id').execute()
}

export async function findEdgeStrategy(db: Executor, id: string): Promise<EdgeStrategyRow | undefined> {
  return await db.selectFrom('edge_strategy').select(edgeColumns).where('id', '=', id).executeTakeFirst()
}

/** The edge strategy, locked for update until the transaction ends. */
export async function lockEdgeStrategyForUpdate(tx: Executor, id: string): Promise<EdgeStrategyRow | undefined> {
  return await tx.selectFrom('edge_strategy').select(edgeColumns).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Whether it exists. If so, it is locked for key share and cannot be deleted before the transaction ends. */
export async function lockEdgeStrategyForShare(tx: Executor, id: string): Promise<boolean> {
  const row = await tx.selectFrom('edge_strategy').select('id').where('id', '=', id).forKeyShare().executeTakeFirst()
  return row !== undefined
}

/** Whether an edge strategy other than `id` has the name. */
export async function isEdgeStrategyNameTaken(db: Executor, name: string, except_id: string | null): Promise<boolean> {
  const others = except_id === null ? sql<boolean>`true` : sql<boolean>`id <> ${except_id}`
  return (await countRows(db, 'edge_strategy', sql<boolean>`name = ${name} and ${others}`)) > 0
}

/** Undefined when another edge strategy has the name. */
export async function insertEdgeStrategy(
  tx: Executor,
  edge: Omit<EdgeStrategyRow, 'id'>,
): Promise<EdgeStrategyRow | undefined> {
  return await tx
    .insertInto('edge_strategy')
    .values(edge)
    .onConflict((oc) => oc.column('name').doNothing())
    .returning(edgeColumns)
    .executeTakeFirst()
}

/** False when another edge strategy has the name; the transaction is aborted then. */
export async function replaceEdgeStrategy(tx: Executor, { id, ...edge }: EdgeStrategyRow): Promise<boolean> {
  try {
    await tx.updateTable('edge_strategy').set(edge).where('id', '=', id).execute()
    return true
  } catch (error) {
    if (constraintOf(error) === 'edge_strategy_name_key') return false
    throw error
  }
}

export async function deleteEdgeStrategy(tx: Executor, id: string): Promise<void> {
  await tx.deleteFrom('edge_strategy').where('id', '=', id).execute()
}

export async function countVoiceRoutesByEdgeStrategy(db: Executor, id: string): Promise<number> {
  return await countRows(db, 'route', sql<boolean>`edge_strategy_id = ${id}`)
}

/** Names of an account's routes: the alias, or the destination. */
export const voiceRouteNames = (db: Executor, account_id: string, ids: readonly string[]) =>
  namesById(db, 'route', sql<string>`coalesce(nullif(alias, ''), value, '')`, account_id, ids)
