import { operations } from '@demarc/client'
import { edgeStrategyIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import { firewallRules } from './edge-strategy/firewall.ts'
import type { Noun } from '../verb.ts'

/** Edge strategies: points of presence and their IP addresses. */

const edge_strategy_id = { summary: 'ID of the edge strategy', complete: edgeStrategyIds }
const columns = ['id', 'name', 'description', 'naptr', 'firewall_rules']
const fields = {
  name: { summary: 'Short name, such as us-west-or' },
  description: { summary: 'Location' },
  firewall_rules: { summary: 'IP addresses: CIDR blocks and ranges, separated by commas' },
  naptr: { summary: 'Host whose NAPTR record lists its servers' },
}

const list = plain('list', operations.listEdgeStrategies, {
  columns,
  examples: ['edge-strategy list', 'edge-strategy list --json --fields id,name'],
})

const get = plain('get', operations.getEdgeStrategy, {
  arguments: { edge_strategy_id },
  examples: ['edge-strategy get 1'],
})

const create = plain('create', operations.createEdgeStrategy, {
  summary: 'Add an edge strategy (operator)',
  fields,
  existing: { list: operations.listEdgeStrategies, by: ['name'] },
  examples: ['edge-strategy create --name us-east-va --naptr us-east-va.sip.example.com --firewall-rules 192.0.2.0/28'],
})

const replace = plain('replace', operations.replaceEdgeStrategy, {
  summary: 'Replace an edge strategy (operator)',
  arguments: { edge_strategy_id },
  fields,
  examples: ['edge-strategy replace 3 --data edge-strategy.json'],
})

const remove = plain('delete', operations.deleteEdgeStrategy, {
  summary: 'Remove an edge strategy that no route uses (operator)',
  arguments: { edge_strategy_id },
  question: (input) => `Remove the edge strategy ${input.argument('edge-strategy')}?`,
  done: (input) => `Edge strategy ${input.argument('edge-strategy')} removed.`,
  examples: ['edge-strategy delete 3 --yes'],
})

export const edgeStrategy: Noun = {
  name: 'edge-strategy',
  summary: 'Edge strategies: points of presence and their IP addresses',
  verbs: [list, get, create, replace, remove, firewallRules],
}
