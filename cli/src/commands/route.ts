import { operations } from '@demarc/client'
import { edgeStrategyIds, routeIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Voice routes: where calls to numbers go. */

const route_id = { summary: 'ID of the voice route; 0 is the default', complete: routeIds }
const columns = ['id', 'alias', 'route_type', 'value', 'edge_strategy_id']
const fields = {
  alias: { summary: 'Name of the route (default: its value)' },
  route_type: { option: 'type', value: 'type', summary: 'Type of the value' },
  value: { summary: 'Host with an optional port, 11-digit number, or SIP URI' },
  edge_strategy_id: { option: 'edge-strategy', summary: 'Edge strategy for the route', complete: edgeStrategyIds },
}

const list = plain('list', operations.listRoutes, {
  columns,
  fields: {
    alias: { summary: 'Part of the alias, any case' },
    route_type: { option: 'type', value: 'type', summary: 'Routes of this type' },
  },
  examples: ['route list', 'route list --type host --csv'],
})

const get = plain('get', operations.getRoute, { arguments: { route_id }, examples: ['route get 5'] })

const create = plain('create', operations.createRoute, {
  description: '',
  fields,
  existing: { list: operations.listRoutes, by: ['route_type', 'value'] },
  examples: [
    'route create --type host --value pbx.example.com:5060 --alias "Main PBX"',
    'route create --type number --value 12065550199 --if-not-exists',
  ],
})

const update = plain('update', operations.updateRoute, {
  arguments: { route_id },
  description: 'An empty alias resets it to the value; an empty edge strategy removes it.',
  fields,
  examples: ['route update 5 --value pbx2.example.com', 'route update 5 --edge-strategy 2'],
})

const remove = plain('delete', operations.deleteRoute, {
  arguments: { route_id },
  question: (input) => `Delete the voice route ${input.argument('route')}?`,
  done: (input) => `Voice route ${input.argument('route')} deleted.`,
  examples: ['route delete 5 --yes'],
})

export const route: Noun = {
  name: 'route',
  summary: 'Voice routes: where calls to numbers go',
  verbs: [list, get, create, update, remove],
}
