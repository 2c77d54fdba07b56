/** Inserts the batches of insert.test.ts in a process that can be killed: `sender.ts <socket or URL> <database> <batches>`, and `shards` for two of them. */

import { openWarehouse } from '../warehouse.ts'
import { numberedBatch } from './numbered-batch.ts'
import { alternating, SHARDED } from './two-shards.ts'

const [at = '', database = '', batches = '', shards] = process.argv.slice(2)
const warehouse = openWarehouse({
  at: at.startsWith('http') ? { url: at } : { socket: at },
  database,
  ...(shards && { mode: SHARDED, placements: alternating }),
})
for (let batch = 0; batch < Number(batches); batch += 1) {
  await warehouse.insert(numberedBatch(batch))
  process.send?.(batch)
}
await warehouse.close()
