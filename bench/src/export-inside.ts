import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { socketPath } from '../../server/src/engines/call-records/chdb/socket.ts'
import { connect, type ClickHouse } from '../../server/src/engines/call-records/clickhouse.ts'
import { LIMITS } from '../../server/src/engines/call-records/limits.ts'
import { openStream } from '../../server/src/engines/call-records/stream.ts'
import type { CdrCompression } from '../../server/src/engines/call-records/types.ts'
import { openFiles } from '../../server/src/platform/files.ts'
import { year } from './call-records.ts'
import type { Service } from './service.ts'

/**
 * What the job of an export of the year does until its file is staged, done here against the engine of the service: totals, slices, proof,
 * digest, and a synced file. Also without compression, which no request can ask for.
 */
export async function exportInside(
  service: Pick<Service, 'folder'>,
  account_id: string,
  compression: CdrCompression,
  observed: (clickhouse: ClickHouse) => ClickHouse = (clickhouse) => clickhouse,
): Promise<{ seconds: number; totals_s: number; bytes: number }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-bench-files-'))
  const connected = connect({ at: { socket: socketPath(path.join(service.folder, 'cdrs')) } })
  const filter = {
    start_call_start_time: new Date(`${year.start_call_start_time}Z`),
    start_call_end_time: new Date(`${year.start_call_end_time}Z`),
  }
  try {
    const files = await openFiles(folder)
    const store = { clickhouse: observed(connected), database: 'demarc', slice_rows: LIMITS.slice_rows }
    const began = performance.now()
    const { body } = await openStream(store, { account_id, filter }, { format: 'csv', compression }, undefined)
    const totals_s = (performance.now() - began) / 1000
    const { bytes } = await files.stage(body)
    return { seconds: (performance.now() - began) / 1000, totals_s, bytes }
  } finally {
    await connected.close()
    await rm(folder, { recursive: true, force: true })
  }
}
