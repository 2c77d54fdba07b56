import { readFile, writeFile } from 'node:fs/promises'
import { operations } from '@demarc/client'
import { edgeStrategyIds } from '../../complete-ids.ts'
import type { Context } from '../../context.ts'
import { usage, type Failure } from '../../failure.ts'
import type { Input } from '../../input.ts'
import { isObject } from '../../item.ts'
import { listItems } from '../../list.ts'
import { textOf } from '../../table.ts'
import { shared, type Verb } from '../../verb.ts'

/** Firewall tools, with the API's format for each. */
const formats = { nft: 'nftables', iptables: 'iptables', json: 'json' } as const
const names = ['nft', 'iptables', 'json'] as const

/** Edge strategies that an error lists. */
const shown_max = 50

export const firewallRules: Verb = {
  name: 'firewall',
  summary: 'Show the addresses of an edge strategy as firewall rules',
  description:
    'Without an ID, lists the edge strategies to choose from. With --diff, shows only the rules added and removed since a file was written, in any of the formats, or nothing if they are the same.',
  operations: ['getFirewallRules', 'listEdgeStrategies'],
  arguments: [{ name: 'edge-strategy', summary: 'ID of the edge strategy', optional: true, complete: edgeStrategyIds }],
  options: [
    { name: 'format', value: 'tool', summary: 'Firewall tool (default nft)', choices: names },
    { name: 'diff', value: 'file', summary: 'Compare with a file of earlier rules' },
    shared.output,
  ],
  examples: [
    'edge-strategy firewall 3 --format nft -o edge.nft',
    'edge-strategy firewall 3 --diff edge.nft',
    'edge-strategy firewall 3 --format iptables',
  ],
  async run(context, input) {
    if (input.optionalArgument('edge-strategy') === undefined) throw await missing(context)
    const before = input.text('diff')
    if (before !== undefined) return showChanges(context, input, await readFile(before, 'utf8'))
    const text = await rulesOf(context, input, names.find((each) => each === input.text('format')) ?? 'nft')
    const file = input.text('output')
    if (file === undefined) return context.output.bytes(text.endsWith('\n') ? text : `${text}\n`)
    await writeFile(file, text)
    await context.remark(`${addressesIn(text).size} blocks in ${file}.`)
  },
}

async function missing(context: Context): Promise<Failure> {
  const known: string[] = []
  for await (const { id, name } of listItems(
    context,
    operations.listEdgeStrategies,
    { params: {}, query: {}, page_max: shown_max },
    shown_max,
  ))
    known.push(`${textOf(id)} (${textOf(name)})`)
  const choice = known.length === 0 ? 'There are none yet.' : `One of: ${known.join(', ')}.`
  return usage('edge-strategy', `Required. ${choice}`, 'Run the command again with an ID.')
}

async function rulesOf(context: Context, input: Input, name: keyof typeof formats): Promise<string> {
  const request = { params: { edge_strategy_id: input.argument('edge-strategy') }, query: { format: formats[name] } }
  return await (await (await context.client()).getFirewallRules(request)).body.text()
}

async function showChanges(context: Context, input: Input, before: string): Promise<void> {
  const now = addressesIn(await rulesOf(context, input, 'json'))
  const then = addressesIn(before)
  const items = [
    ...[...now].filter((each) => !then.has(each)).map((address) => ({ change: '+', address })),
    ...[...then].filter((each) => !now.has(each)).map((address) => ({ change: '-', address })),
  ]
  if (items.length > 0 || context.output.format === 'json') await context.output.list(items, ['change', 'address'])
  await context.remark(items.length === 0 ? 'Nothing has changed.' : `${items.length} blocks have changed.`)
}

/** CIDR blocks from any of the formats. A single address may omit its prefix length. */
function addressesIn(text: string): Set<string> {
  if (text.trimStart().startsWith('{')) return new Set(blocksOf(JSON.parse(text)))
  const rules = text.replace(/^\s*#.*$/gm, '')
  const v4 = rules.match(/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?![\w.])/g) ?? []
  const v6 = (rules.match(/(?<![\w:.])[\da-f]*:[\da-f:]*:[\da-f:]*(?:\/\d{1,3})?(?![\w:])/gi) ?? []).filter((each) =>
    /[\da-f]/i.test(each),
  )
  return new Set([
    ...v4.map((each) => (each.includes('/') ? each : `${each}/32`)),
    ...v6.map((each) => (each.includes('/') ? each.toLowerCase() : `${each.toLowerCase()}/128`)),
  ])
}

/** The lists in the JSON format. */
function blocksOf(document: unknown): string[] {
  const data = isObject(document) ? document['data'] : undefined
  const attributes = isObject(data) ? data['attributes'] : undefined
  const { ipv4, ipv6 } = isObject(attributes) ? attributes : {}
  return [ipv4, ipv6].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
}
