import {
  createDemarcClient,
  InvalidInputError,
  verifyWebhook,
  waitForPortOrder,
  type RequestOptions,
} from '@demarc/client'
import { createDemarcClient as createLight, type DemarcClient } from '@demarc/client/light'

/** What a project's compiler must accept, and what it must reject. */

const client: DemarcClient = createDemarcClient({ base_url: 'http://127.0.0.1:8911' })
const light: DemarcClient = createLight({ base_url: 'http://127.0.0.1:8911' })

export async function accepted(options: RequestOptions, raw: Uint8Array, headers: Headers): Promise<string[]> {
  const { body } = await client.getNumber({ params: { number: '12065550100' } }, options)
  const alias: string | null = body.data.attributes.alias
  const values: string[] = []
  for await (const number of light.listNumbers.all({ query: { limit: 10 } })) values.push(number.attributes.value)
  const order = await waitForPortOrder(client, '7', { until: ['Completed'] })
  const event = await verifyWebhook(raw, headers, ['whsec_x', 'whsec_y'])
  if (event.type === 'cdrexport.failed') values.push(event.data.attributes.failure_reason ?? '')
  const file: Response = (await client.getCdrExportFile({ params: { export_id: '2' } })).body
  return [alias ?? '', ...values, order.attributes.status, file.statusText]
}

export async function refused(error: unknown): Promise<void> {
  // @ts-expect-error the number is missing
  await client.getNumber()
  // @ts-expect-error no such parameter
  await client.getNumber({ params: { nummer: '12065550100' } })
  // @ts-expect-error a name is a string
  await client.createCnam({ body: { value: 12 } })
  // @ts-expect-error no such operation
  await client.getNumbers()
  // @ts-expect-error not a list operation
  for await (const number of client.getNumber.all({ params: { number: '1' } })) console.log(number)
  // @ts-expect-error not a port order status
  await waitForPortOrder(client, '7', { until: ['Done'] })
  if (error instanceof InvalidInputError) {
    // @ts-expect-error fields are lists of messages
    const message: string = error.fields['value']
    console.log(message)
  }
}
