import * as z from 'zod'
import { document, selfLink } from './shapes.ts'
import { operation } from './declare.ts'

/** Search across an account's resources. */

/** Maximum results of each kind. */
export const searchResults_max = 10

const result = z.object({
  type: z.enum(['number', 'portorder', 'cnam', 'e911', 'account']),
  id: z.string().meta({ description: 'The resource’s ID. For a number, its digits.' }),
  attributes: z.object({
    account_id: z.string(),
    title: z
      .string()
      .meta({ description: 'The number, a port order’s alias, the caller ID or account name, or an address’s label.' }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'Distinguishing details: a number’s alias, an address, or an order’s status.' }),
  }),
  links: selfLink,
})

export const search = operation({
  feature: 'accounts',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'search',
  summary: 'Search numbers, port orders, names, and addresses',
  description:
    'Searches numbers by any of their digits, in any notation, and by alias; port orders by ID, number, and alias; caller ID names; and emergency addresses by label, place, and name. Case is ignored. Returns up to 10 results of each kind. Fewer than four digits from the middle of a number, and fewer than three characters of an alias, match only among the account’s first 10,000 numbers. The operator also searches accounts by name or ID. Across all accounts, numbers and orders match only by leading digits.',
  endpoint: 'GET /v2/search',
  replica: true,
  query: z.object({
    q: z
      .string()
      .max(100, 'At most 100 characters.')
      .refine((text) => !text.includes('\0'), 'Must not contain a null character.')
      .refine((text) => text.trim().length >= 2, 'At least 2 characters.')
      .transform((text) => text.trim()),
  }),
  responses: {
    200: {
      description: 'Numbers first, then port orders, caller ID names, addresses, and accounts.',
      body: document(z.array(result)),
    },
  },
})
