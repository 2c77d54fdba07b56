import * as z from 'zod'
import { numberValue } from './numbers.ts'
import { operation } from './operation.ts'
import { wireError } from './error-body.ts'
import { bodyBoolean, idReference, queryBoolean, text } from './shapes.ts'

/** Changes of many numbers in one request. */

/** One request changes so many numbers at most: it is one transaction, with an event for each of them. */
export const changedNumbers_max = 1_000

/** A change of one of many numbers. What is absent is unchanged. */
export const numberChange = z
  .strictObject({
    value: numberValue,
    alias: text(100).nullable().optional().meta({ description: 'Null or an empty text removes it.' }),
    cnam_lookups_enabled: bodyBoolean.optional(),
    primary_route_id: idReference('Must be the id of a route.')
      .nullable()
      .optional()
      .meta({ description: 'Null sets the default route.' }),
    failover_route_id: idReference('Must be the id of a route.')
      .nullable()
      .optional()
      .meta({ description: 'Null removes it.' }),
    cnam_id: idReference('Must be the id of a caller-ID name.')
      .nullable()
      .optional()
      .meta({ description: 'Null removes it.' }),
    e911_id: idReference('Must be the id of an emergency address.')
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
    from: changedAttributes.meta({ description: 'What was changed, before.' }),
    to: changedAttributes.meta({ description: 'The same, after.' }),
    errors: z
      .array(wireError)
      .meta({ description: 'Why it is refused: the errors of a request that changes this number alone.' }),
  })
  .meta({ id: 'NumberChangeResult' })

const changeModes = ['all_or_none', 'each'] as const

export const updateNumbers = operation({
  feature: 'numbers',
  id: 'updateNumbers',
  summary: 'Change alias, routes, caller-ID name and emergency address of many numbers',
  description:
    'With the mode `all_or_none` nothing is changed when one number is refused: 422 names each that is. With `each` the others are changed, and the response says of every number what became of it. `dry_run=true` checks the same and changes nothing; its response has the result of every number in either mode.',
  method: 'PATCH',
  path: '/v2/numbers',
  media: 'json',
  principals: ['account', 'operator'],
  access: 'write',
  query: z.object({ dry_run: queryBoolean.optional() }),
  body: z.strictObject({
    mode: z.enum(changeModes).optional().meta({ description: '`all_or_none` when absent.' }),
    numbers: z.array(numberChange).min(1).max(changedNumbers_max),
  }),
  responses: {
    200: {
      description: 'What became of each number, in the order of the request.',
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
  problems: ['invalid-input'],
  effect: 'transaction',
})
