import { operations } from '@demarc/client'
import type { Context } from '../context.ts'
import { itemOf } from '../item.ts'
import { listItems } from '../list.ts'
import type { Item } from '../output.ts'
import { plain, requestQuery, type PlainOptions } from '../plain.ts'
import type { Noun, Verb } from '../verb.ts'

/** Retention: what is deleted by age, for the operator. */

const planOptions: PlainOptions = {
  columns: ['class', 'account_id', 'period', 'count', 'oldest_at', 'is_held'],
  description:
    'The nightly job deletes this, except what is held. A class with nothing to delete has a count of 0. With --account, only of that account.',
  examples: ['retention plan', 'retention plan --account 1001'],
}

const plan: Verb = {
  ...plain('plan', operations.planRetention, planOptions),
  async run(context, input) {
    const query = requestQuery(operations.planRetention, planOptions, context, input)
    const items = planItems(context, query, input.integer('limit', 1) ?? Number.POSITIVE_INFINITY)
    await context.output.list(items, planOptions.columns)
  },
}

/** The largest page of the plan. */
const page_max = 1000

/** What is due, followed by the classes of which nothing is due; at most `count` items. */
async function* planItems(context: Context, query: Record<string, string>, count: number): AsyncGenerator<Item> {
  const client = await context.client()
  const offset = Number(query['offset'] ?? 0)
  const first = { ...query, limit: Math.min(page_max, count), offset }
  const { data, links, meta } = (await client.planRetention({ query: first }, { signal: context.signal })).body
  yield* data.map(itemOf)
  let left = count - data.length
  if (links.next !== undefined && left > 0) {
    const rest = { params: {}, query: { ...query, offset: offset + data.length }, page_max }
    for await (const item of listItems(context, operations.planRetention, rest, left)) {
      yield item
      left--
    }
  }
  const listed = new Set(data.map(({ attributes }) => attributes.class))
  const empty = meta.classes.filter((each) => each.count === 0 && !listed.has(each.class))
  yield* empty.slice(0, left).map(({ class: name, period }) => ({
    id: `${name}:all`,
    type: 'retention_plan',
    class: name,
    account_id: null,
    period: period ?? 'forever',
    count: 0,
    oldest_at: null,
    is_held: false,
  }))
}

const run = plain('run', operations.runRetention, {
  question: () => 'Delete everything that `demarc retention plan` lists?',
  examples: ['retention run --yes'],
})

export const retention: Noun = { name: 'retention', summary: 'What is deleted by age', verbs: [plan, run] }
