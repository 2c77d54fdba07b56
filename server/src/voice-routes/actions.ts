import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import { changesOf } from '../platform/changes.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid, notFound, problem, refuseFaults } from '../platform/problem.ts'
import { defaultRouteId, edgeStrategyFaults, routeValueFaults, storedRouteValue, type GivenRouteType } from './rules.ts'
import * as store from './store.ts'

/**
 * How many numbers use a route. Given by whoever assembles the service: numbers stand above routes, so this folder cannot
 * ask them itself.
 */
export type CountNumbers = (tx: Executor, route: { account_id: string; id: string }) => Promise<number>

export interface RouteWish {
  /** Absent: the value. */
  alias?: string | undefined
  route_type: GivenRouteType
  value: string
  edge_strategy_id?: string | null | undefined
}

/** Fields that are absent stay as they are. */
export type RouteChange = { [K in keyof RouteWish]?: RouteWish[K] | undefined }

/** Throws 404 unless the actor can see the route. */
export async function requireRoute(c: Context, id: string): Promise<store.RouteRow> {
  return (await store.findRoute(c.tx, c.actor, id)) ?? unknownRoute(id)
}

/** A route on the actor's account. Throws 422 for a value that does not fit the type, or an unknown edge strategy. */
export async function createRoute(c: WriteContext, wish: RouteWish): Promise<store.RouteRow> {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const edge_strategy_id = wish.edge_strategy_id ?? null
  refuseFaults({
    value: routeValueFaults(wish.route_type, wish.value),
    edge_strategy_id: await edgeFaults(c.tx, edge_strategy_id),
  })
  const stored = storedRouteValue(wish.route_type, wish.value)
  const route = await store.insertRoute(c.tx, {
    account_id,
    alias: wish.alias ?? stored,
    route_type: wish.route_type,
    value: stored,
    edge_strategy_id,
    created_at: c.clock.now(),
  })
  const { alias, route_type, value } = route
  await record(c, route, 'route.created', { alias, route_type, value, edge_strategy_id })
  return route
}

/** Throws 404, 409 for the default route, and 422 when type and value would not fit each other, or for an unknown edge strategy. */
export async function updateRoute(c: WriteContext, id: string, wish: RouteChange): Promise<store.RouteRow> {
  const route = (await store.lockRoute(c.tx, c.actor, id)) ?? unknownRoute(id)
  refuseDefault(route, 'changed')
  const { route_type, value } = { ...givenOf(route), ...present(wish) }
  refuseFaults({
    value: routeValueFaults(route_type, value),
    edge_strategy_id: await edgeFaults(c.tx, wish.edge_strategy_id ?? null),
  })
  const changes = changesOf(route, {
    alias: wish.alias,
    route_type,
    value: storedRouteValue(route_type, value),
    edge_strategy_id: wish.edge_strategy_id,
  })
  if (!changes) return route
  const changed = await store.updateRoute(c.tx, route, changes.to)
  await record(c, route, 'route.changed', { ...changes })
  return changed
}

/** Throws 404, 409 for the default route, and 409 while numbers use it, naming how many. */
export async function deleteRoute(c: WriteContext, id: string, countNumbers: CountNumbers): Promise<void> {
  const route = (await store.lockRoute(c.tx, c.actor, id)) ?? unknownRoute(id)
  refuseDefault(route, 'deleted')
  const numbers = await countNumbers(c.tx, route)
  if (numbers > 0)
    throw problem(
      'conflict',
      `Route ${id} is used by ${numbers} ${numbers === 1 ? 'number' : 'numbers'}. Give them another route first, then delete this one.`,
    )
  await store.deleteRoute(c.tx, route)
  const { alias, route_type, value } = route
  await record(c, route, 'route.deleted', { alias, route_type, value })
}

/**
 * Why a number of the account cannot use the route; null when it can, and then the route stays until the transaction ends.
 */
export async function whyNotRoute(tx: Executor, account_id: string, id: string): Promise<string | null> {
  return (await store.holdRoute(tx, account_id, id)) ? null : `No route ${id} is on this account.`
}

export type EdgeStrategyWish = Omit<store.EdgeStrategyRow, 'id'>

/** Throws 404 when there is none of the id. */
export async function requireEdgeStrategy(c: Context, id: string): Promise<store.EdgeStrategyRow> {
  return (await store.findEdgeStrategy(c.tx, id)) ?? unknownEdgeStrategy(id)
}

/** Throws 422 naming every piece of the firewall rules that is not understood, a bad NAPTR name, or a name that is taken. */
export async function createEdgeStrategy(c: WriteContext, wish: EdgeStrategyWish): Promise<store.EdgeStrategyRow> {
  refuseFaults(edgeStrategyFaults(wish))
  const edge = (await store.insertEdgeStrategy(c.tx, wish)) ?? nameTaken()
  await recordEdge(c, edge.id, 'edge_strategy.created', { ...wish })
  return edge
}

/** Throws 404, and 422 as creating does. */
export async function replaceEdgeStrategy(
  c: WriteContext,
  id: string,
  wish: EdgeStrategyWish,
): Promise<store.EdgeStrategyRow> {
  const edge = (await store.lockEdgeStrategy(c.tx, id)) ?? unknownEdgeStrategy(id)
  refuseFaults(edgeStrategyFaults(wish))
  const changes = changesOf(edge, wish)
  if (!changes) return edge
  const replaced = { ...edge, ...wish }
  if (!(await store.replaceEdgeStrategy(c.tx, replaced))) nameTaken()
  await recordEdge(c, id, 'edge_strategy.changed', { ...changes })
  return replaced
}

/** Throws 404, and 409 while routes use it, naming how many. */
export async function deleteEdgeStrategy(c: WriteContext, id: string): Promise<void> {
  const { name } = (await store.lockEdgeStrategy(c.tx, id)) ?? unknownEdgeStrategy(id)
  const routes = await store.countRoutesOfEdge(c.tx, id)
  if (routes > 0)
    throw problem(
      'conflict',
      `Edge strategy ${id} is used by ${routes} ${routes === 1 ? 'route' : 'routes'} and stays.`,
    )
  await store.deleteEdgeStrategy(c.tx, id)
  await recordEdge(c, id, 'edge_strategy.deleted', { name })
}

async function edgeFaults(tx: Executor, id: string | null): Promise<string[]> {
  return id === null || (await store.holdEdgeStrategy(tx, id)) ? [] : [`There is no edge strategy ${id}.`]
}

function unknownRoute(id: string): never {
  throw notFound(`No route ${id}`)
}

function unknownEdgeStrategy(id: string): never {
  throw problem('not-found', `There is no edge strategy ${id}.`)
}

function nameTaken(): never {
  throw invalid({ name: ['Another edge strategy has this name.'] })
}

function refuseDefault(route: store.RouteRow, done: 'changed' | 'deleted'): void {
  if (route.id === defaultRouteId)
    throw problem(
      'conflict',
      `The default route (id ${defaultRouteId}) belongs to every account and cannot be ${done}. Create another route and point your numbers at it.`,
    )
}

/** Type and value of a route that is not the default one: the table lets no other be without a value. */
function givenOf({ route_type, value }: store.RouteRow): { route_type: GivenRouteType; value: string } {
  if (route_type === 'sip-reg' || value === null) throw new Error('the default route was refused before')
  return { route_type, value }
}

const present = ({ route_type, value }: RouteChange) => ({
  ...(route_type === undefined ? {} : { route_type }),
  ...(value === undefined ? {} : { value }),
})

async function record(
  c: WriteContext,
  route: store.RouteRow,
  type: string,
  data: Record<string, unknown>,
): Promise<void> {
  const subject = { subject_type: 'route', subject_id: route.id }
  await recordEvent(c.tx, c.actor, route.account_id, c.clock.now(), { type, ...subject, data })
}

/** Edge strategies are the operator's own. */
async function recordEdge(c: WriteContext, id: string, type: string, data: Record<string, unknown>): Promise<void> {
  await recordEvent(c.tx, c.actor, null, c.clock.now(), { type, subject_type: 'edge_strategy', subject_id: id, data })
}
