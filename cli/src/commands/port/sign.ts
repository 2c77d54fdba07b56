import { portOrderIds } from '../../complete-ids.ts'
import { itemOf } from '../../item.ts'
import { write } from '../../io.ts'
import type { Verb } from '../../verb.ts'
import { visible } from '../../visible.ts'

export const signPort: Verb = {
  name: 'sign',
  summary: 'Sign the Letter of Agency of a port order and submit the order',
  description:
    'Shows the LOA and asks for confirmation. By signing, you confirm that you are authorized to port the numbers. The order then becomes Processing.',
  operations: ['getLoa', 'submitLoa'],
  arguments: [{ name: 'order', summary: 'ID of the port order', complete: portOrderIds }],
  options: [
    { name: 'name', value: 'text', summary: 'First and last name of the signer', required: true },
    { name: 'title', value: 'text', summary: 'Title of the signer, such as Owner', required: true },
    { name: 'force', summary: 'Sign even if the check has errors (operator)' },
  ],
  examples: [
    'port sign 7 --name "Rosa Diaz" --title Owner',
    'port sign 7 --name "Rosa Diaz" --title Owner --yes --json',
  ],
  async run(context, input) {
    const client = await context.client()
    const params = { portorder_id: input.argument('order') }
    const [signature_name, signature_title] = [input.text('name') ?? '', input.text('title') ?? '']
    const { data } = (await client.getLoa({ params })).body
    if (!/json/.test(context.output.format)) await write(context.io.stderr, `${visible(letterOf(data.attributes))}\n\n`)
    await context.confirm(`Sign this letter as ${signature_name}, ${signature_title}?`)
    const attributes = { ...data.attributes, signature_name, signature_title }
    const body = { data: { ...data, attributes }, ...(input.flag('force') ? { force: true } : {}) }
    const { data: order } = (await client.submitLoa({ params, body })).body
    await context.output.done(
      `Order ${order.id} is signed and ${order.attributes.status}. To follow it, run demarc port watch ${order.id}.`,
      itemOf(order),
    )
  },
}

interface LoaForm {
  loa_copy: string
  numbers: readonly string[]
  billing_name: string
  company: string
  provider: string
}

const listed_max = 10

function letterOf({ loa_copy, numbers, billing_name, company, provider }: LoaForm): string {
  const more = numbers.length - listed_max
  return [
    `Losing carrier: ${provider}`,
    `Billing name: ${company === '' ? billing_name : `${billing_name}, ${company}`}`,
    `Numbers: ${numbers.slice(0, listed_max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    '',
    loa_copy,
  ].join('\n')
}
