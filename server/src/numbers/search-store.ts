import { sql, type RawBuilder, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { containsText } from '../platform/rows.ts'
import type { prefixRange } from './rules.ts'
import type { NumberTable } from './tables.ts'

/** Finds numbers by digits anywhere in them and by part of their alias, using the fragment indexes of 0007_numbers.sql. */

/** The index holds runs of this length; shorter text is compared with each number. */
const indexed = { digits: 4, characters: 3 } as const

type FoundNumber = Pick<Selectable<NumberTable>, 'account_id' | 'value' | 'alias'>

/** Numbers that contain these digits. */
export function hasDigits({ account_id }: Pick<Actor, 'account_id'>, digits: string): RawBuilder<boolean> {
  // digits only, so they contain no LIKE wildcards
  const contains = sql<boolean>`value::text like ${`%${digits}%`}`
  if (account_id === null || digits.length < indexed.digits) return contains
  const runs = Array.from({ length: digits.length - indexed.digits + 1 }, (_, i) => digits.slice(i, i + indexed.digits))
  const keys = runs.map((run) => String(BigInt(account_id) * 10n ** BigInt(indexed.digits) + BigInt(run)))
  return sql<boolean>`(number_fragments(account_id, value) @> ${keys}::bigint[] and ${contains})`
}

/** Numbers whose alias contains this text, ignoring case. */
export function hasInAlias({ account_id }: Pick<Actor, 'account_id'>, text: string): RawBuilder<boolean> {
  const contains = containsText('alias', text)
  if (account_id === null || [...text].length < indexed.characters) return contains
  return sql<boolean>`(alias_fragments(account_id, alias) @> alias_fragments(${account_id}::bigint, ${text}::text) and ${contains})`
}

/** With this many digits, a number is found by its beginning or its last seven; fewer are also searched in aliases. */
const exactDigits = 7

/**
 * Text too short for an index is compared with this many of the account's numbers, lowest first; more would take longer than a
 * keystroke.
 */
const compared_max = 10_000

/**
 * Numbers in the range or with these last seven digits, then numbers that contain the digits or whose alias contains the text.
 * The latter are searched only for few digits or when nothing was found.
 */
export async function searchNumbers(
  db: Executor,
  actor: Actor,
  { text, digits, range }: { text: string; digits: string | null; range: ReturnType<typeof prefixRange> },
  limit: number,
): Promise<FoundNumber[]> {
  const matching = (condition: RawBuilder<boolean>, among: RawBuilder<unknown> = sql`number`) => sql`
    (select account_id, value, alias from ${among} where ${visibleTo(actor)} and ${condition} order by value limit ${limit})`
  const begins = matching(range ? sql<boolean>`value >= ${range.from} and value < ${range.below}` : sql<boolean>`false`)
  const exact = digits !== null && digits.length >= exactDigits
  const ends = exact && digits.length === exactDigits ? matching(sql<boolean>`value % 10000000 = ${digits}`) : null
  const short = digits === null ? [...text].length < indexed.characters : digits.length < indexed.digits
  const in_alias = short ? containsText('alias', text) : hasInAlias(actor, text)
  const contains = digits === null ? null : hasDigits(actor, digits)
  const either = exact ? [contains ?? in_alias] : [contains, in_alias].filter((each) => each !== null)
  // one query per index: under an OR, the fragments of every matching row would be computed again
  const conditions = short ? [sql<boolean>`(${sql.join(either, sql` or `)})`] : either
  const among = short
    ? sql`(select account_id, value, alias from number where ${visibleTo(actor)} order by value limit ${compared_max}) number`
    : sql`number`
  // not as LIMIT 0: with an unknown limit the planner prefers another index
  const wanted = sql<boolean>`(select count(*) from sure) < ${sql.lit(exact ? 1 : limit)}`
  // across all accounts by index only
  const rest =
    actor.account_id === null
      ? []
      : conditions.map(
          (has) =>
            sql`union all select 1, account_id, value, alias from ${matching(sql<boolean>`${wanted} and ${has}`, among)} rest`,
        )
  const { rows } = await sql<FoundNumber>`
    with sure as materialized (${begins} ${ends && actor.account_id !== null ? sql`union ${ends}` : sql``})
    select account_id, value, alias from (select 0 as rank, account_id, value, alias from sure ${sql.join(rest, sql` `)}) found
    group by account_id, value, alias order by min(rank), value limit ${limit}`.execute(db)
  return rows
}
