import type { portouts as api, Body } from '@demarc/client'
import type { TestServer } from './server.ts'

type Input = Body<typeof api.createPortout>

/** Records a port-out request of an invented carrier. */
export async function newPortout(
  { operator, clock }: Pick<TestServer, 'operator' | 'clock'>,
  numbers: string[],
  input: Partial<Input> = {},
) {
  const { body } = await operator.createPortout({
    body: {
      numbers,
      gaining_carrier: 'Lakeview Telephone',
      gaining_spid: '599X',
      reference: 'LV-20417',
      requested_due_date: clock.now().toISOString().slice(0, 10),
      ...input,
    },
  })
  return body.data
}
