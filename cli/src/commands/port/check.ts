import { countText } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure, usage } from '../../failure.ts'
import type { Verb } from '../../verb.ts'
import { portOrderIds } from '../../complete-ids.ts'
import { numbersOf, numbersOption, numbersFileOption } from './numbers-file.ts'

/** Two checks with one name: of an order before it is signed, and of numbers before an order exists. */
export const checkPort: Verb = {
  name: 'check',
  summary: 'Check a port order before signing, or whether numbers can be ported',
  description:
    'With an order, lists everything that the losing carrier would reject. With numbers, shows which of them can be ported. The exit status is 1 if there is a problem.',
  operations: ['checkPortOrder', 'checkPortability'],
  arguments: [{ name: 'order', summary: 'ID of the port order', optional: true, complete: portOrderIds }],
  options: [numbersOption, numbersFileOption],
  examples: [
    'port check 7',
    'port check --number +12065557001 +12065557002',
    'port check --numbers-file numbers.txt --csv',
  ],
  async run(context, input) {
    const order = input.optionalArgument('order')
    const numbers = await numbersOf(context, input)
    if ((order === undefined) === (numbers.length === 0))
      throw usage(
        null,
        'Use either an order or numbers.',
        'demarc port check 7, or demarc port check --number +12065557001',
      )
    if (order === undefined) await checkNumbers(context, numbers)
    else await checkOrder(context, order)
  },
}

async function checkOrder(context: Context, portorder_id: string): Promise<void> {
  const { data } = (await (await context.client()).checkPortOrder({ params: { portorder_id } })).body
  const { findings } = data.attributes
  const items = findings.map(({ severity, code, pointer, message, suggestion }) => ({
    severity,
    field: fieldOf(pointer),
    message,
    suggestion,
    code,
  }))
  await context.output.list(items, ['severity', 'field', 'message', 'suggestion'])
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return context.remark(`Order ${portorder_id} passed the check and can be signed.`)
  throw refused(
    `Order ${portorder_id} would be rejected: ${countText(errors, 'error')}.`,
    `demarc port update ${portorder_id} corrects the fields.`,
  )
}

const fieldOf = (pointer: string): string => pointer.replace(/^\/(data\/attributes\/)?/, '').replaceAll('/', '.')

async function checkNumbers(context: Context, numbers: string[]): Promise<void> {
  const { data } = (await (await context.client()).checkPortability({ body: { numbers } })).body
  const details = new Map(data.details.map((each) => [each.number, each]))
  const items = [
    ...data.portable.map((number) => ({ number, portable: true, reason: '', code: '' })),
    ...data.nonportable.map(({ number, reason, code }) => ({ number, portable: false, reason, code })),
  ].map((item) => {
    const { kind = '', regions = [], carrier = null } = details.get(item.number) ?? {}
    return { ...item, kind, regions, carrier }
  })
  await context.output.list(items, ['number', 'portable', 'kind', 'regions', 'carrier', 'reason'])
  if (data.nonportable.length === 0) return
  throw refused(
    `${data.nonportable.length} of ${numbers.length} numbers cannot be ported.`,
    'Remove them from the order.',
  )
}

const refused = (message: string, remedy: string) =>
  new Failure({ exit: 'general', status: 'refused', lines: [{ field: null, message }], remedy })
