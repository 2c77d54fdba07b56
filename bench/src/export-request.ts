import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { cdrs } from '@demarc/client'
import { year } from './call-records.ts'
import type { Account, Service } from './service.ts'

export interface Exported {
  /** From the request to its completion, as its owner sees it. */
  ms: number
  digest: string
  bytes: number
  file: string
}

/** Requests an export of the year and waits until it is completed. */
export async function exportCalls(
  { folder }: Pick<Service, 'folder'>,
  { client }: Pick<Account, 'client'>,
  format: (typeof cdrs.exportFormats)[number] = 'csv',
): Promise<Exported> {
  const began = performance.now()
  const { body } = await client.createCdrExport({
    body: { data: { type: 'cdrexport', attributes: { format, filter_parameters: year } } },
  })
  const { id } = body.data
  for (;;) {
    const { attributes } = (await client.getCdrExport({ params: { export_id: id } })).body.data
    if (attributes.status === 'failed') throw new Error(attributes.failure_reason ?? 'the export failed')
    if (attributes.status === 'completed') {
      const ms = performance.now() - began
      const digest = attributes.sha256 ?? ''
      const file = path.join(folder, 'files', digest.slice(0, 2), digest.slice(2, 4), digest)
      return { ms, digest, bytes: attributes.bytes ?? 0, file }
    }
    await sleep(20)
  }
}
