import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestAccount, TestServer } from '../../../test/support/server.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import { pullDocument } from '../pull.ts'
import { newOrder } from './orders.ts'

export interface Pulled {
  portorder_id: string
  id: string
}

/** For tests: asks for pulls over HTTP and makes their attempts by hand, so that nothing depends on when a worker looks. */
export function pullsOf(server: TestServer, outbound: Outbound, account: TestAccount = server.account) {
  const look = async ({ portorder_id, id }: Pulled) =>
    (await account.client.getPortOrderFile({ params: { portorder_id, file: id } })).body.data
  const pulls = {
    look,
    /** Asks for a pull, of a new order unless one is given. */
    async ask(url: string, order?: string): Promise<Pulled> {
      const portorder_id = order ?? (await newOrder(account))
      const { body } = await account.client.requestPortOrderFile({ params: { portorder_id }, body: { url } })
      return { portorder_id, id: body.data.id }
    },
    /** One attempt. */
    attempt: (id: string, timeout_ms = 10_000, signal = new AbortController().signal) =>
      pullDocument(server.runtime.deps, { outbound, timeout_ms }, id, signal),
    /** Attempts until it is over, the clock moved to each. */
    async finish(id: string, timeout_ms?: number): Promise<void> {
      for (let next = await pulls.attempt(id, timeout_ms); next; next = await pulls.attempt(id, timeout_ms))
        await server.clock.moveTo(next)
    },
    /** Asks, finishes and looks. */
    async outcome(url: string, timeout_ms?: number) {
      const asked = await pulls.ask(url)
      await pulls.finish(asked.id, timeout_ms)
      return (await look(asked)).attributes
    },
  }
  return pulls
}

/** For tests: names of all files that the service keeps, unfinished ones included. */
export async function keptFiles(server: TestServer): Promise<string[]> {
  const kept = await readdir(join(server.runtime.installation.files_dir, 'tmp'))
  for await (const { digest } of server.runtime.deps.files.list()) kept.push(digest)
  return kept
}

/** For tests: waits for something that will happen, by looking. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('waited 30 s in vain')
    await sleep(20)
  }
}
