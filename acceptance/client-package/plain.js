import { createDemarcClient, NotFoundError, RateLimitedError } from '@demarc/client'
import { createDemarcClient as createLight } from '@demarc/client/light'
import { downloadExportToFile } from '@demarc/client/node'

/** A program in plain JavaScript. The server responds in turn with 503, a list, and 404. */

const base_url = process.argv[2] ?? ''
const client = createDemarcClient({ base_url, retry: { base_ms: 1 } })
const { body } = await client.listNumbers()
const error = await createLight({ base_url })
  .getNumber({ params: { number: '1' } })
  .catch((reason) => reason)
console.log(
  JSON.stringify({
    node: Number(process.versions.node.split('.')[0]),
    numbers: body.data.length,
    error: error.name,
    // one class, by whichever name it was imported
    is: [error instanceof NotFoundError, error instanceof RateLimitedError],
    download: typeof downloadExportToFile,
  }),
)
