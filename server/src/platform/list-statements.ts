import { sql, type CompiledQuery, type RawBuilder } from 'kysely'
import { visibleTo, type Actor } from './actor.ts'
import { readList, runOnce, type Executor } from './db.ts'
import type { ReadValue } from './postgres/batched-reads.ts'

/** Statements of lists, compiled once for each choice of filters, because compiling one costs as much as running it. */

/** What a list is given. Undefined and null both mean: not given. A condition is one whose text depends on what is searched for. */
type ListValue = string | number | boolean | Date | readonly string[] | RawBuilder<boolean> | null | undefined
type ListValues<G> = { readonly [K in keyof G]: ListValue }

/** A value in a statement: where it is, and whether it is given at all. */
type Placed<V> =
  | (NonNullable<V> extends RawBuilder<boolean> ? NonNullable<V> : RawBuilder<NonNullable<V>>)
  | (null extends V ? undefined : Extract<V, undefined>)
export type PlacedValues<G> = { readonly [K in keyof G]: Placed<G[K]> }

/** The condition for rows that the actor can see, by the account column. */
type Visible = (column?: string) => RawBuilder<boolean>

/** A statement that Kysely can compile. */
interface Select<R> {
  compile: (db: Executor) => CompiledQuery<R>
}

/** Choices of filters of one list that are kept: each is prepared on every connection and stays there. */
const CHOICES_MAX = 64

interface CompiledList {
  text: string
  parameters: readonly unknown[]
}

/** In a compiled list, where the value of this name belongs; null: that of the actor's account. */
class ValuePosition {
  readonly name: string | null
  constructor(name: string | null) {
    this.name = name
  }
}

/**
 * Makes the select of a list from what builds it. `build` is called again only for another choice of values that are given:
 * it can place a value and ask whether there is one, but does not know it, and the types see to that. With a condition among
 * them nothing is kept.
 */
export function listOf<R, G extends ListValues<G>>(
  build: (db: Executor, given: PlacedValues<G>, visible: Visible) => Select<R>,
): (db: Executor, actor: Pick<Actor, 'account_id'>, given: G) => Promise<R[]> {
  const kept = new Map<string, CompiledList>()
  return async (db, { account_id }, given) => {
    const choice = choiceOf(account_id, given)
    const known = choice === null ? undefined : kept.get(choice)
    const { text, parameters } = known ?? compileList(db, build, account_id !== null, given)
    const values = parameters.map((parameter) => textOf(valueOf(parameter, account_id, given)))
    if (!known && (choice === null || kept.size >= CHOICES_MAX)) return await runOnce<R>(db, text, values)
    if (!known && choice !== null) kept.set(choice, { text, parameters })
    return await readList<R>(db, text, values)
  }
}

/** Null: there are as many as there are conditions. */
function choiceOf<G extends ListValues<G>>(account_id: string | null, given: G): string | null {
  let choice = account_id === null ? 'all' : 'own'
  for (const name in given) {
    const value: ListValue = given[name]
    if (isCondition(value)) return null
    if (isGiven(value)) choice += ` ${name}`
  }
  return choice
}

const isGiven = (value: ListValue): boolean => value !== undefined && value !== null

const isCondition = (value: ListValue): value is RawBuilder<boolean> =>
  typeof value === 'object' && value !== null && 'isRawBuilder' in value

function compileList<R, G extends ListValues<G>>(
  db: Executor,
  build: (db: Executor, given: PlacedValues<G>, visible: Visible) => Select<R>,
  within: boolean,
  given: G,
): CompiledList {
  const account_id = within ? positionOf<string>(null) : null
  const list = build(db, positionsOf(given), (column) => visibleTo({ account_id }, column))
  const { sql: text, parameters } = list.compile(db)
  return { text, parameters }
}

const positionOf = <V>(name: string | null): RawBuilder<V> => sql<V>`${new ValuePosition(name)}`

/** Each name has what the type says: a position where a value is given, undefined where none is. */
const positionsOf = <G extends ListValues<G>>(given: G): PlacedValues<G> =>
  Object.fromEntries(
    Object.entries<ListValue>(given).map(([name, value]) => [
      name,
      isCondition(value) ? value : isGiven(value) ? positionOf(name) : undefined,
    ]),
  ) as PlacedValues<G>

/** Of a position, what is given now; of anything else, the constant that the statement has there. */
function valueOf<G extends ListValues<G>>(parameter: unknown, account_id: string | null, given: G): unknown {
  if (!(parameter instanceof ValuePosition)) return parameter
  return parameter.name === null ? account_id : given[parameter.name as keyof G]
}

/** As PostgreSQL reads it. */
function textOf(value: unknown): ReadValue {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(String)
  throw new TypeError('a list has a value of another type')
}
