import { numbers as api, operations } from '@demarc/client'
import { cnamIds, e911Ids, numberValues, routeIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import { applyNumbers } from './numbers/apply.ts'
import type { Argument, Noun, Verb } from '../verb.ts'

/** Phone numbers with their alias, routes, caller ID name, and emergency address. */

/** Ten digits get the country code. */
const withCountryCode = (text: string): string => (/^[2-9]\d{9}$/.test(text) ? `1${text}` : text)

const form = '10 digits, or 11 with country code 1, with or without +'
const number = { summary: `Phone number, ${form}`, complete: numberValues, read: withCountryCode }
const columns = ['value', 'alias', 'number_type', 'status', 'state', 'rate_center', 'monthly_cost']

const list = plain('list', operations.listNumbers, {
  columns,
  fields: { cnam_id: { complete: cnamIds }, number_type: { choices: api.numberTypes } },
  examples: [
    'numbers list',
    'numbers list --starts-with 206 --csv',
    'numbers list --alias front --ids',
    'numbers list --number-type longcode --has-e911 false',
  ],
})

const get = plain('get', operations.getNumber, {
  arguments: { number },
  examples: ['numbers get 12065550100', 'numbers get 12065550100 --json --fields alias,primary_route_id'],
})

const update = plain('update', operations.updateNumber, {
  arguments: { number },
  description: 'An empty alias removes it.',
  fields: {
    alias: { summary: 'Alias of the number, at most 100 characters' },
    cnam_lookups_enabled: { summary: 'Look up callers’ names, for a fee' },
  },
  examples: [
    'numbers update 12065550100 --alias "Front desk"',
    'numbers update 12065550100 --cnam-lookups-enabled true',
  ],
})

/** A voice route argument: an id, or `default`. */
const routeArgument: Argument = {
  name: 'route',
  summary: 'ID of the voice route, or none',
  complete: routeIds,
}

const setRoute = (
  name: string,
  operation: typeof operations.setPrimaryRoute | typeof operations.setFailoverRoute,
  of: string,
) => ({
  ...plain(name, operation, {
    summary: `Set the ${of} voice route of a number, or none`,
    arguments: { number },
    body: (input) => {
      const route = input.argument('route')
      return { data: route === 'none' ? null : { type: 'route', id: route } }
    },
    done: (input) => `${input.argument('number')}: ${of} route ${input.argument('route')}.`,
    examples: [`numbers ${name} 12065550100 5`, `numbers ${name} 12065550100 none`],
  }),
  arguments: [{ name: 'number', ...number }, routeArgument],
})

const setPrimaryRoute = setRoute('set-primary-route', operations.setPrimaryRoute, 'primary')
const setFailoverRoute = setRoute('set-failover-route', operations.setFailoverRoute, 'failover')

const setCnam = plain('set-cnam', operations.assignCnam, {
  arguments: { number, cnam_id: { summary: 'ID of an approved caller ID name', complete: cnamIds } },
  examples: ['numbers set-cnam 12065550100 12'],
})

const removeCnam = plain('remove-cnam', operations.unassignCnam, {
  arguments: { number },
  examples: ['numbers remove-cnam 12065550100'],
})

const setE911 = plain('set-e911', operations.assignE911, {
  arguments: { number, e911_id: { summary: 'ID of an emergency address', complete: e911Ids } },
  done: (input) => `${input.argument('number')}: emergency address ${input.argument('e911')}.`,
  examples: ['numbers set-e911 12065550100 31'],
})

const removeE911 = plain('remove-e911', operations.unassignE911, {
  arguments: { number },
  question: (input) =>
    `Remove the emergency address of ${input.argument('number')}? 911 calls from it will have no address.`,
  done: (input) => `${input.argument('number')}: no emergency address.`,
  examples: ['numbers remove-e911 12065550100 --yes'],
})

const search = plain('search', operations.listAvailableNumbers, {
  columns: ['value', 'number_type', 'rate_center', 'state', 'monthly_cost', 'setup_cost'],
  fields: { number_type: { choices: api.numberTypes } },
  examples: [
    'numbers search --starts-with 206 --max-setup-cost 1',
    'numbers search --spells go --limit 5',
    'numbers search --rate-center seattle --consecutive 10',
  ],
})

const areaCodes = plain('area-codes', operations.listAvailableAreaCodes, {
  columns: ['id', 'available_count'],
  examples: ['numbers area-codes'],
})

const exchanges = plain('exchanges', operations.listAvailableExchanges, {
  columns: ['id', 'available_count'],
  examples: ['numbers exchanges --areacode 206'],
})

const order = plain('order', operations.orderNumber, {
  arguments: { number: { summary: `Number to order, ${form}`, read: withCountryCode } },
  body: (input) => {
    const lookups = input.text('cnam-lookups-enabled')
    const [monthly_cost, setup_cost] = [input.text('monthly-cost'), input.text('setup-cost')]
    return {
      ...(lookups === undefined ? {} : { cnam_lookups_enabled: lookups }),
      ...(monthly_cost === undefined ? {} : { monthly_cost }),
      ...(setup_cost === undefined ? {} : { setup_cost }),
    }
  },
  options: [
    { name: 'cnam-lookups-enabled', value: 'true|false', summary: 'Look up callers’ names, for a fee' },
    { name: 'monthly-cost', value: 'amount', summary: 'Refuse another monthly cost, dollars' },
    { name: 'setup-cost', value: 'amount', summary: 'Refuse another setup cost, dollars' },
  ],
  examples: ['numbers order 12065550150', 'numbers order 12065550150 --monthly-cost 1.25 --setup-cost 1'],
})

const reserve: Verb = {
  ...plain('reserve', operations.createNumberReservation, {
    description:
      'Only the account can order them until then. `demarc number-reservation` lists, extends, and releases reservations.',
    body: (input) => {
      const callback_url = input.text('callback-url')
      return {
        numbers: input.argumentList('number').map(withCountryCode),
        ...(callback_url === undefined ? {} : { callback_url }),
      }
    },
    options: [{ name: 'callback-url', value: 'url', summary: 'Receives the reservation now and when it changes' }],
    examples: ['numbers reserve 2065550150', 'numbers reserve 12065550150 12065550151 12065550152'],
  }),
  arguments: [{ name: 'number', summary: `Numbers to reserve, ${form}`, many: true }],
}

const release = plain('release', operations.releaseNumber, {
  arguments: { number },
  without: ['dry_run'],
  question: (input) =>
    `Release ${input.argument('number')}? Its emergency address, caller ID name, voice routes, and alias are removed.`,
  done: (input) => `${input.argument('number')}: released.`,
  examples: ['numbers release 12065550150 --yes'],
})

const restore = plain('restore', operations.restoreNumber, {
  arguments: { number: { summary: `Released number, ${form}`, read: withCountryCode } },
  examples: ['numbers restore 12065550150'],
})

const add = plain('add', operations.addNumbers, {
  summary: 'Add numbers to an account, all or none (operator)',
  fields: { numbers: { summary: 'Numbers as a JSON list: [{"value": "12065550100", "number_type": "longcode"}]' } },
  columns,
  examples: ['numbers add --account 1001 --data numbers.json'],
})

export const numbers: Noun = {
  name: 'numbers',
  summary: 'Phone numbers: alias, voice routes, caller ID name, emergency address',
  verbs: [
    list,
    get,
    update,
    setPrimaryRoute,
    setFailoverRoute,
    setCnam,
    removeCnam,
    setE911,
    removeE911,
    search,
    areaCodes,
    exchanges,
    reserve,
    order,
    release,
    restore,
    add,
    applyNumbers,
  ],
}
