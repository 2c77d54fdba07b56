import * as z from 'zod'
import { e911Levels } from './e911-words.ts'
import { operation } from './operation.ts'
import { page, timestamp } from './shapes.ts'

/** What is missing before every number of an account has an emergency address that is as good as it can be. */

/**
 * `no_address`: an active long code without an address. `below_level`: an address that was checked less deep than is required.
 * `recheck_due`: street data changed after the address was checked, or the data that it was checked with counts no more.
 * `no_unit`: an address without a unit, where another address of the account has one.
 */
export const e911Gaps = ['no_address', 'below_level', 'recheck_due', 'no_unit'] as const
export type E911Gap = (typeof e911Gaps)[number]

const links = z.object({ self: z.string() })
const gap = z.enum(e911Gaps)

const entry = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('number'),
    id: z.string(),
    attributes: z.object({ gap, value: z.string(), alias: z.string().nullable() }),
    links,
  }),
  z.object({
    type: z.literal('e911'),
    id: z.string(),
    attributes: z.object({
      gap,
      label: z.string(),
      street_number: z.string(),
      street_name: z.string(),
      city: z.string(),
      state: z.string(),
      level: z.enum(e911Levels),
      validated_at: timestamp,
    }),
    links,
  }),
])

const count = z.int()

export const listE911Coverage = operation({
  feature: 'e911s',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'listE911Coverage',
  summary: 'List what is missing from the emergency addresses of the account',
  description:
    'Active long codes without an address; addresses that were checked less deep than the service requires; those that are to be checked again because the street data changed; and those without a unit where another address of the account at the same house number has one. An address can be there more than once, for each gap.',
  method: 'GET',
  path: '/v2/e911s/coverage',
  access: 'read',
  query: z.object({ ...page(10, 200), gap: gap.optional() }),
  responses: {
    200: {
      description: 'Numbers and addresses by gap, in the order of the gaps and ascending; `meta` counts all of them.',
      body: z.object({
        data: z.array(entry),
        links: z.object({ self: z.string(), next: z.string().optional() }),
        meta: z.object({
          numbers: count.meta({ description: 'Active long codes: numbers that have emergency service.' }),
          addresses: count,
          no_address: count,
          below_level: count,
          recheck_due: count,
          no_unit: count,
          level_required: z.enum(e911Levels).meta({
            description: '`street` where the service requires no level: at `postal` nothing is known of the street.',
          }),
        }),
      }),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})
