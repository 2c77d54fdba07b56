import { countText, type DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure, usage } from '../../failure.ts'
import { save, sendFile } from '../../files.ts'
import type { Input } from '../../input.ts'
import { optionsOf, shared, type Verb } from '../../verb.ts'
import { waitFor } from '../../wait.ts'

type Validation = Awaited<ReturnType<DemarcClient['getE911Validation']>>['body']['data']

/** `e911 validate` with a file: validates every address in it. */
export const validateFile = (one: Verb): Verb => ({
  ...one,
  summary: 'Validate an emergency address or a file of addresses',
  description: [
    one.description,
    'With a file, writes its addresses to --output with a verdict and corrections for each. Nothing is saved on the account. The exit status is 1 if any address is invalid.',
  ].join('\n\n'),
  operations: [...(one.operations ?? []), 'createE911Validation', 'getE911Validation', 'getE911ValidationFile'],
  arguments: [{ name: 'file', summary: 'CSV with a header line or NDJSON; at most 100,000 addresses', optional: true }],
  options: () => [...optionsOf(one), { ...shared.output, summary: 'Write the report to this file' }, shared.timeout],
  examples: [...one.examples, 'e911 validate --csv addresses.csv -o report.csv'],
  run: (context, input) =>
    input.optionalArgument('file') === undefined ? one.run(context, input) : validate(context, input),
})

async function validate(context: Context, input: Input): Promise<void> {
  const client = await context.client()
  const [file = '', report] = [input.optionalArgument('file'), input.text('output')]
  if (report === undefined) throw usage('--output', 'Required with a file.', 'Set the file for the report.')
  const content_type = /\.(ndjson|jsonl)$/i.test(file) ? 'application/x-ndjson' : 'text/csv'
  const { id } = await sendFile(
    context,
    file,
    async (body) => (await client.createE911Validation({ body, content_type })).body.data,
  )
  const ended = await waitForEnd(context, client, id, input.duration_ms('timeout'))
  const { rows, verdicts, levels } = ended.attributes
  const unchecked = levels['postal'] ?? 0
  await save(context, (await client.getE911ValidationFile({ params: { validation_id: id } })).body, report)
  const item = { id, rows, ...verdicts, levels, report }
  const counts = Object.entries(verdicts).filter(([, count]) => count > 0)
  await context.output.done(
    `${countText(rows, 'address', 'addresses')} checked: ${counts.map(([verdict, count]) => `${count} ${verdict.replaceAll('_', ' ')}`).join(', ')}.${unchecked === 0 ? '' : ` The street was not checked for ${unchecked} of the valid ones.`} Report in ${report}.`,
    item,
  )
  const wrong = rows - (verdicts['valid'] ?? 0)
  if (wrong > 0)
    throw new Failure({
      exit: 'general',
      status: 'refused',
      lines: [
        { field: null, message: `${wrong} of ${countText(rows, 'address is', 'addresses are')} not valid as written.` },
      ],
      remedy: `See ${report} for reasons and corrections.`,
    })
}

async function waitForEnd(
  context: Context,
  client: DemarcClient,
  validation_id: string,
  timeout_ms: number | undefined,
): Promise<Validation> {
  const progress = context.progress('Checking')
  try {
    const ended = await waitFor(context, {
      subject: `Validation ${validation_id}`,
      poll: async () => (await client.getE911Validation({ params: { validation_id } })).body.data,
      isDone: ({ attributes }) => attributes.status !== 'processing',
      show: ({ attributes }) => progress.show(attributes.progress, `${attributes.rows} addresses`),
      timeout_ms,
      again: `demarc e911-validation download ${validation_id} -o FILE downloads its report later.`,
    })
    if (ended.attributes.status === 'completed') return ended
    throw new Failure({
      exit: 'general',
      status: 'failed',
      lines: [{ field: null, message: `The file was not checked: ${ended.attributes.failure_reason}` }],
    })
  } finally {
    progress.end()
  }
}
