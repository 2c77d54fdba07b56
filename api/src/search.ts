import * as z from 'zod'
import { operation } from './operation.ts'

/** Finds what somebody has in mind: by what they would type. */

/** Results of each kind. */
export const searchResults_max = 10

const result = z.object({
  type: z.enum(['number', 'portorder', 'cnam', 'e911', 'account']),
  id: z.string().meta({ description: 'Of a number its digits.' }),
  attributes: z.object({
    account_id: z.string(),
    title: z
      .string()
      .meta({ description: 'The number, the alias of a port order, the name, the label of an address.' }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'What tells it from others: the alias of a number, the address, the status of an order.' }),
  }),
  links: z.object({ self: z.string() }),
})

export const search = operation({
  feature: 'accounts',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'search',
  summary: 'Search numbers, port orders, names and addresses',
  description:
    'Numbers by any of their digits, in any notation, and by their alias; port orders by id, number and alias; caller-ID names; emergency addresses by label, place and name. Case does not matter. Up to 10 of each. Fewer than four digits in the middle of a number, and fewer than three characters of an alias, are looked for in the first 10,000 numbers of the account. The operator finds accounts too, by name or id; of numbers and orders of all accounts those whose digits begin so.',
  method: 'GET',
  path: '/v2/search',
  access: 'read',
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
      description: 'Numbers first, then port orders, caller-ID names, addresses and accounts.',
      body: z.object({ data: z.array(result), links: z.object({ self: z.string() }) }),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})
