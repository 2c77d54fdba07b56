import * as z from 'zod'
import { operation } from './declare.ts'
import { digits, numberDocument, numberTypes, withCountryCode } from './numbers.ts'
import { listLinks, money, page, pathNumber, queryBoolean, queryInteger, timestamp } from './shapes.ts'

/** Numbers for sale: searching and releasing them. */

/** The keys of a telephone, ITU-T E.161: the digit of each letter. */
const keypad = ['', '', 'abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'] as const

/** The digits that a word has on the keys of a telephone. */
export const digitsOfWord = (word: string): string =>
  [...word.toLowerCase()]
    .map((each) => (/\d/.test(each) ? each : String(keypad.findIndex((letters) => letters.includes(each)))))
    .join('')

/** A price in dollars in a query: text on the wire. */
const queryMoney = (description: string) =>
  z
    .union([z.number(), z.string()])
    .transform((v, c) => {
      const text = String(v).trim()
      if (!/^\d{1,8}(\.\d{1,4})?$/.test(text))
        c.addIssue({ code: 'custom', message: 'Must be an amount in dollars, such as 3.25.' })
      return text
    })
    .meta({ wire: { type: 'number', minimum: 0 }, description })
    .optional()

/** A price in a body, as text or as a number with at most four decimal places. */
export const bodyMoney = z
  .union([z.number(), z.string()])
  .transform((v, c) => {
    const text = String(v)
    if (!/^\d{1,8}(\.\d{1,4})?$/.test(text))
      c.addIssue({ code: 'custom', message: 'Must be an amount in dollars, such as 1.25.' })
    return text
  })
  .meta({ wire: { type: ['string', 'number'], examples: ['1.25'] } })

/** Filters of available numbers, for a search and for an order of any numbers. */
export const availableFilters = {
  starts_with: digits('Leading digits, with or without the country code: 425, 1425, +1425.', withCountryCode),
  contains: digits('Digits anywhere in the number.'),
  ends_with: digits('Trailing digits.'),
  rate_center: z
    .string()
    .max(50, 'At most 50 characters.')
    .optional()
    .meta({ description: 'The abbreviated rate center, any case.' }),
  state: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'Must be two letters.')
    .optional()
    .meta({ description: 'State or province, any case.' }),
  number_type: z.enum(numberTypes).optional(),
  max_setup_cost: queryMoney('Numbers that cost at most this once, in dollars.'),
  max_monthly_cost: queryMoney('Numbers that cost at most this each month, in dollars.'),
  spells: z
    .string()
    .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{2,10}$/, 'Must be 2 to 10 letters or digits, with at least one letter.')
    .optional()
    .meta({ description: 'A word that the number spells anywhere, by the letters on the keys of a telephone.' }),
  near_zip: z
    .string()
    .regex(/^\d{5}$/, 'Must be a ZIP Code of five digits.')
    .optional()
    .meta({ description: 'Numbers of rate centers whose ZIP Code has the same first three digits.' }),
}

/** The highest `consecutive`. */
const consecutive_max = 1_000

/** An available number and its prices. */
export const availableAttributes = z.object({
  value: z.string(),
  number_type: z.enum(numberTypes),
  rate_center: z.string().nullable(),
  lata: z.string().nullable(),
  state: z.string().nullable(),
  monthly_cost: money,
  setup_cost: money,
  capabilities: z.array(z.string()).meta({ examples: [['voice', 'e911']] }),
})

const availableNumber = z
  .object({
    type: z.literal('number'),
    id: z.string(),
    attributes: availableAttributes,
    links: z.object({ related: z.string() }),
  })
  .meta({ id: 'AvailableNumber' })

const total = z.object({ total_count: z.int().meta({ description: 'How many match, on all pages.' }) })

const group = <T extends string>(type: T) =>
  z.object({
    type: z.literal(type),
    id: z.string(),
    attributes: z.object({ available_count: z.int() }),
    links: z.object({ related: z.string() }),
  })

const common = { feature: 'numbers', media: 'jsonapi', principals: ['account', 'operator'] } as const
const byNumber = z.object({ number: pathNumber })

export const listAvailableNumbers = operation({
  ...common,
  id: 'listAvailableNumbers',
  summary: 'Search the numbers for sale',
  endpoint: 'GET /v2/numbers/available',
  query: z.object({
    ...page(10, 200),
    ...availableFilters,
    consecutive: queryInteger(2, consecutive_max)
      .optional()
      .meta({ description: 'Only numbers in a run of at least this many consecutive numbers that match.' }),
  }),
  responses: {
    200: {
      description: 'Numbers in ascending order.',
      body: z.object({ data: z.array(availableNumber), links: listLinks, meta: total }),
    },
  },
})

export const listAvailableAreaCodes = operation({
  ...common,
  id: 'listAvailableAreaCodes',
  summary: 'List the area codes with numbers for sale',
  endpoint: 'GET /v2/numbers/available/areacodes',
  query: z.object({ ...page(10, 400), max_setup_cost: availableFilters.max_setup_cost }),
  responses: {
    200: {
      description: 'Area codes in ascending order.',
      body: z.object({ data: z.array(group('areacode')), links: listLinks, meta: total }),
    },
  },
})

export const listAvailableExchanges = operation({
  ...common,
  id: 'listAvailableExchanges',
  summary: 'List the exchanges with numbers for sale',
  endpoint: 'GET /v2/numbers/available/exchanges',
  query: z.object({
    ...page(10, 200),
    areacode: z
      .union([z.number(), z.string()])
      .transform(String)
      .pipe(z.string().regex(/^[2-9]\d{2}$/, 'Must be an area code of three digits.'))
      .meta({ wire: { type: 'integer', minimum: 200, maximum: 999 } })
      .optional(),
    max_setup_cost: availableFilters.max_setup_cost,
  }),
  responses: {
    200: {
      description: 'Area code and exchange, six digits, in ascending order.',
      body: z.object({ data: z.array(group('exchange')), links: listLinks, meta: total }),
    },
  },
})

const release = z.object({
  type: z.literal('number_release'),
  id: z.string(),
  attributes: z.object({
    value: z.string(),
    can_release: z.boolean(),
    errors: z.array(z.string()).meta({ description: 'What prevents the release.' }),
    warnings: z.array(z.string()).meta({ description: 'What the release removes.' }),
    returns_to: z.enum(['inventory', 'block_carrier', 'gaining_carrier']).meta({
      description:
        'A number that was ported in returns to the carrier that its block is assigned to. One that was ported out goes to the gaining carrier.',
    }),
    aging_until: timestamp.nullable().meta({ description: 'Until then the account can restore the number.' }),
  }),
})

export const releaseNumber = operation({
  ...common,
  id: 'releaseNumber',
  summary: 'Release a number from the account',
  description:
    'Removes its emergency address, caller ID name, voice routes, and alias in the same transaction. With `dry_run=true` nothing changes, and the response lists what the release would remove and what prevents it.',
  endpoint: 'DELETE /v2/numbers/{number}',
  params: byNumber,
  query: z.object({ dry_run: queryBoolean.optional() }),
  responses: {
    200: { description: 'With `dry_run=true`: what the release would do.', body: z.object({ data: release }) },
    204: { description: 'Released.', body: null },
  },
  problems: ['not-found', 'invalid-input', 'conflict'],
})

export const restoreNumber = operation({
  ...common,
  id: 'restoreNumber',
  summary: 'Restore a released number',
  description:
    'Puts a number back on the account that released it, until it returns to the inventory. It comes back with the default voice route.',
  endpoint: 'POST /v2/numbers/{number}/restore',
  params: byNumber,
  responses: { 201: { description: 'The number, on the account again.', body: numberDocument } },
  problems: ['not-found', 'conflict'],
})
