import { createDemarcClient, NotFoundError, RateLimitedError, signWebhook, verifyWebhook } from '@demarc/client'
import { createDemarcClient as createLight } from '@demarc/client/light'
import { downloadExportToFile } from '@demarc/client/node'

/** A plain JavaScript program. The server responds in turn with 503, a list, 404, an export, and its file. */

const [base_url = '', file = ''] = process.argv.slice(2)
const client = createDemarcClient({ base_url, retry: { base_ms: 1 } })
const { body } = await client.listNumbers()
const error = await createLight({ base_url })
  .getNumber({ params: { number: '1' } })
  .catch((reason) => reason)
const downloaded = await downloadExportToFile(client, '2', file)
const secret = `whsec_${btoa('a secret for tests')}`
const signed = await signWebhook({ type: 'cdrexport.completed', data: { id: '2' } }, secret)
console.log(
  JSON.stringify({
    node: Number(process.versions.node.split('.')[0]),
    numbers: body.data.length,
    error: error.name,
    // the same class under either import
    is: [error instanceof NotFoundError, error instanceof RateLimitedError],
    bytes: downloaded.bytes,
    event: (await verifyWebhook(signed.body, signed.headers, secret)).type,
  }),
)
