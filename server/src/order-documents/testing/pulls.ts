import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestServer } from '../../../test/support/server.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import { pullDocument } from '../pull.ts'
import { newOrder } from './orders.ts'

export interface Pulled {
  portorder_id: string
  id: string
}

/** For tests: requests pulls over HTTP and runs their attempts directly, so that no test depends on the timing of a worker. */
export function pullTester(server: TestServer, outbound: Outbound) {
  const { account } = server
  const get = async ({ portorder_id, id }: Pulled) =>
    (await account.client.getPortOrderFile({ params: { portorder_id, file: id } })).body.data
  const pulls = {
    get,
    /** Requests a pull, of a new order unless one is given. */
    async request(url: string, order?: string): Promise<Pulled> {
      const portorder_id = order ?? (await newOrder(account))
      const { body } = await account.client.requestPortOrderFile({ params: { portorder_id }, body: { url } })
      return { portorder_id, id: body.data.id }
    },
    /** One attempt. */
    attempt: (id: string, timeout_ms = 10_000, signal = new AbortController().signal) =>
      pullDocument(server.runtime.deps, { outbound, timeout_ms, storage: server.runtime.storage }, id, signal),
    /** Runs attempts until the pull is final, with the clock moved to each. */
    async finish(id: string, timeout_ms?: number): Promise<void> {
      for (let next = await pulls.attempt(id, timeout_ms); next; next = await pulls.attempt(id, timeout_ms))
        await server.clock.advanceTo(next)
    },
    /** Requests a pull, finishes it and returns the document. */
    async outcome(url: string, timeout_ms?: number) {
      const pulled = await pulls.request(url)
      await pulls.finish(pulled.id, timeout_ms)
      return (await get(pulled)).attributes
    },
  }
  return pulls
}

/** For tests: names of all stored files, including unfinished ones, sorted. */
export async function storedFiles(server: TestServer): Promise<string[]> {
  const names = await readdir(join(server.runtime.installation.files_dir, 'tmp'))
  for await (const { digest } of server.runtime.deps.files.list()) names.push(digest)
  return names.toSorted()
}
