import * as z from 'zod'
import { cnamErrors, cnamStored } from './cnam-rule.ts'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import { document, id, list, page, queryBoolean, queryInteger, queryText, resource, text, timestamp } from './shapes.ts'

/** Caller ID name records. */

export const cnamAttributes = z.object({
  value: z.string(),
  is_approved: z.boolean(),
  approval_datetime: timestamp.nullable(),
  creation_datetime: timestamp.nullable(),
  rejection_reason: z.string().nullable(),
  /** First and last business day on which the approved name is expected on the network; null until approved. */
  expected_from: z.iso.date().nullable(),
  expected_by: z.iso.date().nullable(),
  account_id: id.optional().meta({ description: 'Shown to the operator only.' }),
  account_name: z.string().optional().meta({ description: 'Shown to the operator only.' }),
})
export const cnam = resource('cnam', cnamAttributes).meta({ id: 'Cnam' })

const value = z
  .string()
  .transform((v, c) => {
    for (const message of cnamErrors(v)) c.addIssue({ code: 'custom', message })
    return cnamStored(v)
  })
  .meta({
    wire: {
      type: 'string',
      minLength: 1,
      maxLength: 15,
      examples: ['ACME CO'],
      description: 'The caller ID name; stored in upper case.',
    },
  })

/** One record with the numbers that use it. Lists contain only the record. */
const cnamDocument = document(
  cnam.extend({
    relationships: z.object({
      numbers: z.object({
        data: z
          .array(z.object({ type: z.literal('number'), id }))
          .meta({ description: 'The first 200 numbers with this name, in ascending order.' }),
        links: z.object({ related: z.string().meta({ description: 'The list of all numbers with this name.' }) }),
        meta: z.object({ count: z.int().meta({ description: 'The number of numbers with this name.' }) }),
      }),
    }),
  }),
).meta({ id: 'CnamDocument' })

const cnamBody = envelope('cnam', z.strictObject({ value }), { flat: true, shows: cnamAttributes })
const common = { feature: 'cnams', media: 'jsonapi', principals: ['account', 'operator'] } as const

export const listCnams = operation({
  ...common,
  id: 'listCnams',
  summary: 'List caller ID name records',
  description: 'Without parameters, the response streams every record. `limit` has no maximum.',
  endpoint: 'GET /v2/cnams',
  replica: true,
  query: z.object({
    limit: queryInteger(1).optional(),
    offset: page(10, 10).offset,
    is_approved: queryBoolean.optional(),
    is_rejected: queryBoolean.optional(),
    value: queryText,
  }),
  responses: { 200: { description: 'Records, oldest first.', body: list(cnam) } },
})

export const getCnam = operation({
  ...common,
  id: 'getCnam',
  summary: 'Get one caller ID name record',
  endpoint: 'GET /v2/cnams/{cnam_id}',
  responses: { 200: { description: 'The record and the numbers that use it.', body: cnamDocument } },
})

export const createCnam = operation({
  ...common,
  id: 'createCnam',
  summary: 'Request a caller ID name',
  description: 'The operator approves or rejects the request. Only an approved record can be assigned to numbers.',
  endpoint: 'POST /v2/cnams',
  body: cnamBody,
  form: true,
  responses: { 201: { description: 'The record, not yet approved.', body: cnamDocument } },
})

export const updateCnam = operation({
  ...common,
  id: 'updateCnam',
  summary: 'Change an unapproved caller ID name',
  description: 'Changing a rejected record submits it for approval again. Sending the current value has no effect.',
  endpoint: 'PATCH /v2/cnams/{cnam_id}',
  body: cnamBody,
  responses: { 200: { description: 'The record.', body: cnamDocument } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const deleteCnam = operation({
  ...common,
  id: 'deleteCnam',
  summary: 'Remove a caller ID name record',
  description: 'Numbers that used it no longer have a caller ID name.',
  endpoint: 'DELETE /v2/cnams/{cnam_id}',
  responses: { 204: { description: 'Removed.', body: null } },
})

export const decideCnam = operation({
  ...common,
  id: 'decideCnam',
  summary: 'Approve or reject a caller ID name',
  description: 'Rejecting an approved name withdraws it; numbers that used it no longer have a caller ID name.',
  endpoint: 'PATCH /operator/cnams/{cnam_id}',
  media: 'json',
  principals: ['operator'],
  body: envelope('cnam', z.strictObject({ is_approved: z.boolean(), rejection_reason: text(500).min(1).nullish() }), {
    flat: true,
    shows: cnamAttributes,
  }),
  responses: { 200: { description: 'The record.', body: cnamDocument } },
})
