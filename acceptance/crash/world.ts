import { randomUUID } from 'node:crypto'
import type { Random } from '../fuzz/random.ts'
import type { Keys } from '../support/service.ts'
import type { Database } from '../support/database.ts'
import type { Findings } from './findings.ts'
import type { Http, OperationName, Sending } from './http.ts'
import { many, one, text, type Resource } from './json.ts'
import type { Receiver } from './receiver.ts'

/** What every writer gets: the service from outside, and a random generator. */
export interface World {
  http: Http
  random: Random
  receiver: Receiver
  operator: Keys
  findings: Findings
  /** For counting records that the API doesn't list. */
  database: Database
  /** How far the clock may have moved so far. */
  clock: { moved_s: number }
}

export interface Writer {
  /** Sends one request, or a few related ones. */
  step(): Promise<void>
  /** Compares with the actual state; called while nothing is being written and no work is left. */
  count(findings: Findings): Promise<void>
}

/** Creates one feature's writer, and lists the operations it uses. */
export interface WriterKind {
  name: string
  operations: readonly OperationName[]
  open(world: World): Promise<Writer>
}

/** Moves the clock between two counts; all work due by then is done. */
export async function moveClock({ http, operator: by, clock }: World, seconds: number): Promise<void> {
  clock.moved_s += seconds
  const json = { advance: `${seconds} seconds` }
  await requireBody(http, { operation: 'moveClock', by, json, timeout_ms: move_timeout_ms })
}

export interface Account {
  id: string
  keys: Keys
}

/** Moving the clock waits for all due work, which takes as long as the service needs to recover. */
export const move_timeout_ms = 130_000

let marks = 0

/** A unique name. */
export const newMark = (kind: string): string => `${kind} ${++marks}`

/** A unique number, for short names. */
export const newCount = (): number => ++marks

/** An Idempotency-Key, half of the time. */
export const someKey = (random: Random): string | undefined => (random.chance(0.5) ? randomUUID() : undefined)

/** Sends a request that must succeed before anything is killed. */
export async function require(http: Http, sending: Sending): Promise<Resource> {
  return one(await requireBody(http, sending))
}

export async function requireBody(http: Http, sending: Sending): Promise<unknown> {
  const outcome = await http.send({ ...sending, key: randomUUID() })
  if (outcome.kind !== 'done') throw new Error(`${sending.operation}: ${JSON.stringify(outcome)}`)
  return outcome.body
}

/** An account for one writer alone, so that everything in it must be in the writer's model. */
export async function newAccount({ http, operator }: World, name: string): Promise<Account> {
  const { id } = await require(http, { operation: 'createAccount', by: operator, json: { name } })
  const key = await require(http, {
    operation: 'createKey',
    by: operator,
    params: { account_id: id },
    json: { name: 'writer' },
  })
  return { id, keys: keysOf(key) }
}

export const keysOf = ({ attributes }: Resource): Keys => ({
  access_key: text(attributes['access_key']),
  secret_key: text(attributes['secret_key']),
})

/** Every record of a list, page by page. */
export async function listAll(
  http: Http,
  by: Sending['by'],
  operation: OperationName,
  { params = {}, query = {} }: Pick<Sending, 'params' | 'query'> = {},
): Promise<Resource[]> {
  const limit = 200
  const found: Resource[] = []
  for (;;) {
    const body = await http.read({ operation, by, params, query: { ...query, limit, offset: found.length } })
    const page = many(body)
    found.push(...page)
    if (page.length < limit) return found
  }
}
