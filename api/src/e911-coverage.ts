import * as z from 'zod'
import { e911Levels } from './e911-words.ts'
import { operation } from './declare.ts'
import { listLinks, page, selfLink, timestamp } from './shapes.ts'

/** Gaps in the emergency addresses of an account. */

/**
 * `no_address`: an active long code without an address. `below_level`: an address that was validated below the required level.
 * `recheck_due`: the street data changed after the address was validated, or the data it was validated with is no longer active.
 * `no_unit`: an address without a unit, while another address of the account at the same house number has one.
 */
export const e911Gaps = ['no_address', 'below_level', 'recheck_due', 'no_unit'] as const
export type E911Gap = (typeof e911Gaps)[number]

const gap = z.enum(e911Gaps)

const entry = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('number'),
    id: z.string(),
    attributes: z.object({ gap, value: z.string(), alias: z.string().nullable() }),
    links: selfLink,
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
    links: selfLink,
  }),
])

const count = z.int()

export const listE911Coverage = operation({
  feature: 'e911s',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  id: 'listE911Coverage',
  summary: 'List gaps in the emergency addresses of the account',
  description:
    'Lists active long codes without an address, addresses that were validated below the required level, addresses to recheck because the street data changed, and addresses without a unit while another address of the account at the same house number has one. An address is listed once for each of its gaps.',
  endpoint: 'GET /v2/e911s/coverage',
  replica: true,
  query: z.object({ ...page(10, 200), gap: gap.optional() }),
  responses: {
    200: {
      description: 'Numbers and addresses by gap, each in ascending order; `meta` has the totals.',
      body: z.object({
        data: z.array(entry),
        links: listLinks,
        meta: z.object({
          numbers: count.meta({ description: 'Active long codes: numbers that have emergency service.' }),
          addresses: count,
          no_address: count,
          below_level: count,
          recheck_due: count,
          no_unit: count,
          level_required: z.enum(e911Levels).meta({
            description: '`street` if the service requires no level, because `postal` says nothing about the street.',
          }),
        }),
      }),
    },
  },
})
