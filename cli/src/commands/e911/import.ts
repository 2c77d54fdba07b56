import { operations, type DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { sendFile } from '../../files.ts'
import { itemOf } from '../../item.ts'
import { queryOptions, requestQuery, type PlainOptions } from '../../plain.ts'
import { shared, type Verb } from '../../verb.ts'
import { waitFor } from '../../wait.ts'

type Dataset = Awaited<ReturnType<DemarcClient['getE911Dataset']>>['body']['data']
type Query = NonNullable<Parameters<DemarcClient['importE911Dataset']>[0]['query']>

const options: PlainOptions = {
  fields: {
    name: { summary: 'Name of the data; each name has one active vintage (required)' },
    vintage: { summary: 'Version of the data, such as 2026-11' },
    format: { value: 'format', summary: 'Format of the file (required)' },
    activate: { summary: 'Activate the data when it is loaded' },
    force: { summary: 'Activate even if its report holds it' },
  },
  examples: [],
}

export const importStreetData: Verb = {
  name: 'import',
  summary: 'Load street data for validating addresses (operator)',
  description:
    'Sends the file unchanged (plain, gzip, or zip). Loading the same file again under the same name and vintage has no effect, so you can repeat an interrupted command.',
  operations: ['importE911Dataset', 'getE911Dataset'],
  arguments: [{ name: 'file', summary: 'File as downloaded from the publisher' }],
  options: () => [...queryOptions(operations.importE911Dataset, options), shared.wait, shared.timeout],
  examples: [
    'e911 import wi-adams.csv --format openaddresses-csv --name adams-wi --vintage 2026-11 --state WI --activate true --wait',
  ],
  async run(context, input) {
    const client = await context.client()
    // built from the operation's parameters; the service validates the values
    const query = requestQuery(operations.importE911Dataset, options, context, input) as Query
    const content_type = 'application/octet-stream'
    const sent = await sendFile(
      context,
      input.argument('file'),
      async (body) => (await client.importE911Dataset({ query, body, content_type })).body.data,
    )
    const dataset = input.flag('wait') ? await loaded(context, client, sent.id, input.duration_ms('timeout')) : sent
    await context.output.item(itemOf(dataset))
    const { status, failure_reason, report } = dataset.attributes
    if (status === 'failed') throw refused(`Dataset ${dataset.id} was not loaded: ${failure_reason}`, undefined)
    if (status === 'held')
      throw refused(
        `Dataset ${dataset.id} is loaded and held: ${report?.held.join(' ') ?? ''}`,
        `demarc e911-dataset activate ${dataset.id} --force true activates it all the same.`,
      )
  },
}

async function loaded(
  context: Context,
  client: DemarcClient,
  dataset_id: string,
  timeout_ms: number | undefined,
): Promise<Dataset> {
  const progress = context.progress('Loading')
  try {
    return await waitFor(context, {
      subject: `Dataset ${dataset_id}`,
      poll: async () => (await client.getE911Dataset({ params: { dataset_id } })).body.data,
      isDone: ({ attributes }) => attributes.status !== 'loading',
      show: ({ attributes }) => progress.show(attributes.progress, `${attributes.rows_read} rows`),
      timeout_ms,
      again: `demarc e911-dataset get ${dataset_id} shows how far it is.`,
    })
  } finally {
    progress.end()
  }
}

const refused = (message: string, remedy: string | undefined) =>
  new Failure({ exit: 'general', status: 'refused', lines: [{ field: null, message }], remedy })
