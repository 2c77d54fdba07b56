import * as z from 'zod'
import { numberValue } from './numbers.ts'
import { operation } from './declare.ts'
import { wireError } from './error-body.ts'
import { bodyBoolean, idReference, queryBoolean, text } from './shapes.ts'

/** Changes to many numbers in one request. */

/** Maximum numbers in one request, because it is one transaction with an event for each number. */
export const changedNumbers_max = 1_000

/** A change to one number. Omitted attributes do not change. */
export const numberChange = z
  .strictObject({
    value: numberValue,
    alias: text(100).nullable().optional().meta({ description: 'Null or an empty string removes it.' }),
    cnam_lookups_enabled: bodyBoolean.optional(),
    primary_route_id: idReference('Must be the ID of a route.')
      .nullable()
      .optional()
      .meta({ description: 'Null sets the default route.' }),
    failover_route_id: idReference('Must be the ID of a route.')
      .nullable()
      .optional()
      .meta({ description: 'Null removes it.' }),
    cnam_id: idReference('Must be the ID of a caller ID name.')
      .nullable()
      .optional()
      .meta({ description: 'Null removes it.' }),
    e911_id: idReference('Must be the ID of an emergency address.')
      .nullable()
      .optional()
      .meta({ description: 'Null removes it.' }),
  })
  .meta({ id: 'NumberChange' })

const changedAttributes = z.object({
  alias: z.string().nullable().optional(),
  cnam_lookups_enabled: z.boolean().optional(),
  primary_route_id: z.int().optional(),
  failover_route_id: z.int().nullable().optional(),
  cnam_id: z.int().nullable().optional(),
  e911_id: z.int().nullable().optional(),
})

const numberChangeResult = z
  .object({
    value: z.string(),
    outcome: z.enum(['changed', 'unchanged', 'refused']),
    from: changedAttributes.meta({ description: 'The changed attributes before the change.' }),
    to: changedAttributes.meta({ description: 'The changed attributes after the change.' }),
    errors: z.array(wireError).meta({
      description: 'Why the change was rejected: the errors that a request for this number alone would return.',
    }),
  })
  .meta({ id: 'NumberChangeResult' })

const changeModes = ['all_or_none', 'each'] as const

export const updateNumbers = operation({
  feature: 'numbers',
  id: 'updateNumbers',
  summary: 'Change the alias, routes, caller ID name, and emergency address of many numbers',
  description:
    'In mode `all_or_none`, one rejected number prevents all changes, and the response is 422 with every rejected number. In mode `each`, the other numbers change, and the response has a result for every number. `dry_run=true` checks without changing anything, and returns a result for every number in either mode.',
  endpoint: 'PATCH /v2/numbers',
  media: 'json',
  principals: ['account', 'operator'],
  query: z.object({ dry_run: queryBoolean.optional() }),
  body: z.strictObject({
    mode: z.enum(changeModes).optional().meta({ description: 'Default: `all_or_none`.' }),
    numbers: z.array(numberChange).min(1).max(changedNumbers_max),
  }),
  responses: {
    200: {
      description: 'The result for each number, in the order of the request.',
      body: z.object({
        data: z.array(numberChangeResult),
        meta: z.object({
          mode: z.enum(changeModes),
          dry_run: z.boolean(),
          changed_count: z.int(),
          unchanged_count: z.int(),
          refused_count: z.int(),
        }),
      }),
    },
  },
})
