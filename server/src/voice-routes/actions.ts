import { countText, type routes } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import { changedFields } from '../platform/changed-fields.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid, notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import {
  defaultVoiceRouteId,
  edgeStrategyErrors,
  voiceRouteErrors,
  storedVoiceRouteValue,
  type SettableVoiceRouteType,
} from './rules.ts'
import * as store from './store.ts'
import type { VoiceRouteType } from './tables.ts'

/** How many numbers use a voice route. Injected by app.ts, because numbers are a feature above this one and cannot be imported. */
export type CountNumbers = (tx: Executor, route: { account_id: string; id: string }) => Promise<number>

export interface VoiceRouteInput {
  /** Absent or null: the value is the alias. */
  alias?: string | null | undefined
  route_type: SettableVoiceRouteType
  value: string
  edge_strategy_id?: string | null | undefined
}

/** Absent fields stay unchanged. */
export interface VoiceRouteChange {
  /** Null: the value is the alias. */
  alias?: string | null | undefined
  route_type?: VoiceRouteType | undefined
  value?: string | null | undefined
  edge_strategy_id?: string | null | undefined
}

/** Throws 404 unless the actor can see the voice route. */
export async function requireVoiceRoute(c: Context, id: string): Promise<store.VoiceRouteRow> {
  return (await store.findVoiceRoute(c.tx, c.actor, id)) ?? unknownVoiceRoute(c, id)
}

/**
 * Validates the fields that are present. For a change, stored values stand in for absent fields, except those in `failing`,
 * which are already refused. Returns errors by field. Throws 404.
 */
export async function voiceRouteFieldErrors(
  c: Context,
  { route_type, value, edge_strategy_id }: VoiceRouteChange,
  changed?: { id: string; failing: ReadonlySet<string> },
): Promise<Record<string, string[]>> {
  const stored = changed ? await requireVoiceRoute(c, changed.id) : undefined
  // the default route is refused as a whole when it is changed
  if (stored?.id === defaultVoiceRouteId) return {}
  const type = route_type ?? (changed?.failing.has('route_type') ? undefined : stored?.route_type)
  const checked_value = value === undefined && !changed?.failing.has('value') ? stored?.value : value
  return await inputErrors(c.tx, { route_type: type, value: checked_value, edge_strategy_id })
}

const inputErrors = async (tx: Executor, { route_type, value, edge_strategy_id = null }: VoiceRouteChange) => ({
  ...voiceRouteErrors(route_type, value),
  edge_strategy_id: await edgeStrategyIdErrors(tx, edge_strategy_id),
})

/**
 * Creates a voice route on the actor's account. Throws 422 for a value that does not match the type, or an unknown edge
 * strategy.
 */
export async function createVoiceRoute(c: WriteContext, input: VoiceRouteInput): Promise<store.VoiceRouteRow> {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const edge_strategy_id = input.edge_strategy_id ?? null
  throwIfInvalid(await inputErrors(c.tx, input))
  const stored = storedVoiceRouteValue(input.route_type, input.value)
  const route = await store.insertVoiceRoute(c.tx, {
    account_id,
    alias: input.alias ?? stored,
    route_type: input.route_type,
    value: stored,
    edge_strategy_id,
    created_at: c.clock.now(),
  })
  const { alias, route_type, value } = route
  await recordEvent(c, route.account_id, {
    type: 'route.created',
    ...voiceRouteSubject(route),
    data: { alias, route_type, value, edge_strategy_id },
  })
  return route
}

/** Throws 404, 409 for the default voice route, and 422 when type and value would not match or the edge strategy is unknown. */
export async function updateVoiceRoute(
  c: WriteContext,
  id: string,
  input: VoiceRouteChange,
): Promise<store.VoiceRouteRow> {
  const route = (await store.lockVoiceRouteForUpdate(c.tx, c.actor, id)) ?? unknownVoiceRoute(c, id)
  const { edge_strategy_id } = input
  if (route.id === defaultVoiceRouteId) {
    // its unchanged document may be sent back
    if (!changedFields(route, { ...input, alias: input.alias ?? undefined })) return route
    refuseDefault(route, 'changed')
  }
  const { route_type, value } = { ...route, ...present(input) }
  throwIfInvalid(await inputErrors(c.tx, { route_type, value, edge_strategy_id }))
  const stored = storedValueOf({ route_type, value })
  const alias = input.alias === null ? stored : input.alias
  const changes = changedFields(route, { alias, route_type, value: stored, edge_strategy_id })
  if (!changes) return route
  const changed = await store.updateVoiceRoute(c.tx, route, changes.to)
  await recordEvent(c, route.account_id, { type: 'route.changed', ...voiceRouteSubject(route), data: { ...changes } })
  return changed
}

/** Throws 404, 409 for the default voice route, and 409 with the count while numbers use it. */
export async function deleteVoiceRoute(c: WriteContext, id: string, countNumbers: CountNumbers): Promise<void> {
  const route = (await store.lockVoiceRouteForUpdate(c.tx, c.actor, id)) ?? unknownVoiceRoute(c, id)
  refuseDefault(route, 'deleted')
  const numbers = await countNumbers(c.tx, route)
  if (numbers > 0)
    throw problem(
      'conflict',
      `Route ${id} is used by ${countText(numbers, 'number')}. Assign them another route before you delete this one.`,
    )
  await store.deleteVoiceRoute(c.tx, route)
  const { alias, route_type, value } = route
  await recordEvent(c, route.account_id, {
    type: 'route.deleted',
    ...voiceRouteSubject(route),
    data: { alias, route_type, value },
  })
}

/**
 * Why a number of the account cannot use the voice route; null when it can. The row is then locked for key share, so it cannot
 * be deleted before the transaction ends.
 */
export async function voiceRouteError(tx: Executor, account_id: string, id: string): Promise<string | null> {
  return (await store.lockVoiceRouteForShare(tx, account_id, id)) ? null : `No route ${id} is on this account.`
}

export type EdgeStrategyInput = routes.EdgeStrategyFields

/** Throws 404 for an unknown edge strategy. */
export async function requireEdgeStrategy(c: Context, id: string): Promise<store.EdgeStrategyRow> {
  return (await store.findEdgeStrategy(c.tx, id)) ?? unknownEdgeStrategy(id)
}

/** Validates the fields of an edge strategy that are present. Returns errors by field. `id` is the one it replaces. */
export async function edgeStrategyFieldErrors(
  c: Context,
  input: { [K in keyof EdgeStrategyInput]?: EdgeStrategyInput[K] | undefined },
  id: string | null = null,
): Promise<Record<string, string[]>> {
  const { name } = input
  const taken = name !== undefined && (await store.isEdgeStrategyNameTaken(c.tx, name, id))
  return { ...edgeStrategyErrors(input), ...(taken ? takenName : {}) }
}

/** Throws 422 naming every invalid firewall rule, an invalid NAPTR name, and a name that is taken. */
export async function createEdgeStrategy(c: WriteContext, input: EdgeStrategyInput): Promise<store.EdgeStrategyRow> {
  throwIfInvalid(await edgeStrategyFieldErrors(c, input))
  const edge = (await store.insertEdgeStrategy(c.tx, input)) ?? nameTaken()
  await recordEvent(c, null, { type: 'edge_strategy.created', ...edgeStrategySubject(edge.id), data: { ...input } })
  return edge
}

/** Throws 404, and 422 like creating. */
export async function replaceEdgeStrategy(
  c: WriteContext,
  id: string,
  input: EdgeStrategyInput,
): Promise<store.EdgeStrategyRow> {
  const edge = (await store.lockEdgeStrategyForUpdate(c.tx, id)) ?? unknownEdgeStrategy(id)
  throwIfInvalid(await edgeStrategyFieldErrors(c, input, id))
  const changes = changedFields(edge, input)
  if (!changes) return edge
  const replaced = { ...edge, ...input }
  if (!(await store.replaceEdgeStrategy(c.tx, replaced))) nameTaken()
  await recordEvent(c, null, { type: 'edge_strategy.changed', ...edgeStrategySubject(id), data: { ...changes } })
  return replaced
}

/** Throws 404, and 409 with the count while voice routes use it. */
export async function deleteEdgeStrategy(c: WriteContext, id: string): Promise<void> {
  const { name } = (await store.lockEdgeStrategyForUpdate(c.tx, id)) ?? unknownEdgeStrategy(id)
  const voice_routes = await store.countVoiceRoutesByEdgeStrategy(c.tx, id)
  if (voice_routes > 0)
    throw problem(
      'conflict',
      `Edge strategy ${id} is used by ${countText(voice_routes, 'route')}, so it cannot be deleted.`,
    )
  await store.deleteEdgeStrategy(c.tx, id)
  await recordEvent(c, null, { type: 'edge_strategy.deleted', ...edgeStrategySubject(id), data: { name } })
}

async function edgeStrategyIdErrors(tx: Executor, id: string | null): Promise<string[]> {
  return id === null || (await store.lockEdgeStrategyForShare(tx, id)) ? [] : [`There is no edge strategy ${id}.`]
}

function unknownVoiceRoute(c: Context, id: string): never {
  throw notFound(c.actor, `No route ${id}`)
}

function unknownEdgeStrategy(id: string): never {
  throw problem('not-found', `There is no edge strategy ${id}.`)
}

const takenName = { name: ['Another edge strategy has this name.'] }

/** Of two concurrent requests with the same name, the second one fails when it writes. */
function nameTaken(): never {
  throw invalid(takenName)
}

function refuseDefault(route: store.VoiceRouteRow, done: 'changed' | 'deleted'): void {
  if (route.id === defaultVoiceRouteId)
    throw problem(
      'conflict',
      `The default route (id ${defaultVoiceRouteId}) belongs to every account and cannot be ${done}. Create another route and point your numbers at it.`,
    )
}

/** A valid value in the form that is stored. */
function storedValueOf({ route_type, value }: Pick<store.VoiceRouteRow, 'route_type' | 'value'>): string {
  if (route_type === 'sip-reg' || value === null) throw new Error('voiceRouteErrors lets no such route through')
  return storedVoiceRouteValue(route_type, value)
}

const present = ({ route_type, value }: VoiceRouteChange) => ({
  ...(route_type === undefined ? {} : { route_type }),
  ...(value === undefined ? {} : { value }),
})

const voiceRouteSubject = ({ id }: store.VoiceRouteRow) => ({ subject_type: 'route', subject_id: id })

/** Edge strategies belong to the operator, so their events have no account. */
const edgeStrategySubject = (id: string) => ({ subject_type: 'edge_strategy', subject_id: id })
