import { readFile, writeFile } from 'node:fs/promises'
import { edgeStrategyIds } from '../../complete-ids.ts'
import type { Context } from '../../context.ts'
import type { Input } from '../../input.ts'
import { isObject } from '../../item.ts'
import { shared, type Verb } from '../../verb.ts'

/** The tools by their own names, and the format of the API for each. */
const formats = { nft: 'nftables', iptables: 'iptables', json: 'json' } as const
const names = ['nft', 'iptables', 'json'] as const

export const firewallRules: Verb = {
  name: 'firewall',
  summary: 'Show the addresses of an edge strategy as firewall rules',
  description:
    'With --diff only what was added and removed since a file was written, whatever its format; nothing when it is the same.',
  operations: ['getFirewallRules'],
  arguments: [{ name: 'edge-strategy', summary: 'Id of the edge strategy', complete: edgeStrategyIds }],
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
    const before = input.text('diff')
    if (before !== undefined) return showChanges(context, input, await readFile(before, 'utf8'))
    const text = await rulesOf(context, input, names.find((each) => each === input.text('format')) ?? 'nft')
    const file = input.text('output')
    if (file === undefined) return context.output.bytes(text.endsWith('\n') ? text : `${text}\n`)
    await writeFile(file, text)
    await context.remark(`${addressesIn(text).size} blocks in ${file}.`)
  },
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

/** CIDR blocks in any of the formats; a single address may be written without its length. */
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

/** The lists of the JSON form. */
function blocksOf(document: unknown): string[] {
  const data = isObject(document) ? document['data'] : undefined
  const attributes = isObject(data) ? data['attributes'] : undefined
  const { ipv4, ipv6 } = isObject(attributes) ? attributes : {}
  return [ipv4, ipv6].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
}
