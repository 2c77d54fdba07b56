import { itemsOf } from '../item.ts'
import type { Verb } from '../verb.ts'

/** Searches everything on the account. */
export const search: Verb = {
  name: 'search',
  summary: 'Search numbers, port orders, names, and addresses',
  description: 'Searches by digits, ID, or part of an alias, name, or address. Shows up to ten results of each kind.',
  operations: ['search'],
  arguments: [{ name: 'text', summary: 'Text to search for' }],
  examples: ['search 5550100', 'search "front desk" --ids'],
  async run(context, input) {
    const { body } = await (await context.client()).search({ query: { q: input.argument('text') } })
    await context.output.list(itemsOf(body), ['type', 'id', 'title', 'detail'])
  },
}
