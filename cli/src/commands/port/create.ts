import { countText, operations, type DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { Input } from '../../input.ts'
import { isObject, itemOf } from '../../item.ts'
import { optionsOf, shared, type Verb } from '../../verb.ts'
import { plain, requestBody, type PlainOptions } from '../../plain.ts'
import { orderFields } from './fields.ts'
import { numbersFileOption, numbersOf } from './numbers-file.ts'

const options: PlainOptions = {
  summary: 'Order the porting of numbers from another carrier',
  description:
    'Numbers of different types or carriers become separate orders in one group. --dry-run shows the split and the result for each number without creating an order.',
  fields: orderFields,
  without: ['dry_run'],
  examples: [
    'port create --numbers-file numbers.txt --data order.json --dry-run',
    'port create --number +12065557001 --provider "Simulated Bell" --provider-account 4711-22 --billing-name "Rosa Diaz" --street "100 N Main St" --city Seattle --state WA --zip 98101 --country US --usage-type Residential',
  ],
}

const derived = plain('create', operations.createPortOrder, options)

export const createPort: Verb = {
  ...derived,
  options: () =>
    optionsOf(derived).flatMap((option) => (option.name === 'number' ? [option, numbersFileOption] : [option])),
  async run(context, input) {
    const client = await context.client()
    const body = await bodyOf(context, input)
    const dry_run = input.flag(shared.dry_run.name)
    const response = await client.createPortOrder({ query: { dry_run }, body })
    if (response.status === 200) return showPreview(context, response.body)
    return showOrders(context, response.body)
  },
}

type Body = Parameters<DemarcClient['createPortOrder']>[0]['body']
type Response = Awaited<ReturnType<DemarcClient['createPortOrder']>>['body']

/** The body from the options, with the numbers of --number and --numbers-file. */
async function bodyOf(context: Context, input: Input): Promise<Body> {
  const numbers = await numbersOf(context, input)
  const body = await requestBody(
    operations.createPortOrder,
    { ...options, members: numbers.length > 0 ? { numbers } : {} },
    context,
    input,
  )
  // built from the operation's fields; the service validates the values
  return body as Body
}

async function showPreview(context: Context, { data }: Response): Promise<void> {
  if (data.type !== 'portorder_preview') throw new Error('A dry run responds with a preview.')
  const { orders, dispositions } = data.attributes
  const items = dispositions.map(({ given, number, order, reason, code }) => ({
    number: number ?? given,
    order: order === null ? null : order + 1,
    provider: order === null ? null : (orders[order]?.provider ?? null),
    kind: order === null ? null : (orders[order]?.kind ?? null),
    reason,
    code,
  }))
  if (context.output.format === 'json') await context.output.item(data.attributes)
  else await context.output.list(items, ['number', 'order', 'kind', 'provider', 'reason'])
  const refused = dispositions.filter(({ order }) => order === null).length
  if (refused > 0)
    throw new Failure({
      exit: 'general',
      status: 'refused',
      lines: [
        { field: 'numbers', message: `${refused} of ${dispositions.length} would be refused. Nothing was ordered.` },
      ],
      remedy: 'Remove or correct them.',
    })
  await context.remark(`${countText(orders.length, 'order')} would be made; nothing was ordered.`)
}

async function showOrders(context: Context, body: Response): Promise<void> {
  if (body.data.type !== 'portorder' || !('included' in body)) throw new Error('An order responds with its document.')
  const orders = [body.data, ...body.included].map(itemOf)
  await context.output.list(orders, ['id', 'status', 'numbers_count', 'provider', 'cost', 'next.what'])
  const [first] = orders
  if (isObject(first)) await context.remark(`Next: demarc port check ${String(first['id'])}, then demarc port sign.`)
}
