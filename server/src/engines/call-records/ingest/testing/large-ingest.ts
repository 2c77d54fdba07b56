/**
 * Ingests many generated records, and prints the result and the memory in use meanwhile: `large-ingest.ts <socket> <records>`, run with
 * --expose-gc. A process of its own, so that the memory is that of the ingest alone.
 */

import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { openWarehouse } from '../../warehouse.ts'
import { ingestCdrs } from '../ingest.ts'
import { least, ndjson } from './bodies.ts'

const [socket = '', total = '0'] = process.argv.slice(2)

/** Bytes in use after garbage collection, at each tenth of the records. */
const in_use: number[] = []

function* lines() {
  for (let at = 0; at < Number(total); at += 1) {
    if (at % (Number(total) / 10) === 0) in_use.push(inUse())
    yield ndjson([least(`${at}`, { cost_subtotal: '0.00000001' })])
  }
}

function inUse(): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc')
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const warehouse = openWarehouse({ at: { socket } })
const { accepted, duplicates, rejected } = await ingestCdrs(
  { warehouse, accountsExist: async (ids) => new Set(ids) },
  {
    stream: Readable.from(lines(), { objectMode: false }).pipe(createGzip({ level: 1 })),
    content_type: 'application/x-ndjson',
    content_encoding: 'gzip',
  },
)
await warehouse.close()
const rss = process.resourceUsage().maxRSS * 1024
process.stdout.write(JSON.stringify({ accepted, duplicates, rejected, in_use, rss }))
