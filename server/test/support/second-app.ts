import { buildApp } from '../../src/app.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { openRuntime } from '../../src/runtime.ts'
import { startWorker } from '../../src/worker.ts'
import type { Installation } from '../../src/installation.ts'
import { closeBeforeDatabase } from './database.ts'
import type { TestServer } from './server.ts'

/** A second API server on the same installation, or one with `overrides`, closed at the end of the file. */
export async function startSecondApp(
  server: TestServer,
  overrides: Partial<Installation> = {},
): Promise<{ base_url: string; isListening(): boolean; close(): Promise<void> }> {
  const { config, installation } = server.runtime
  const runtime = await openRuntime(config, { ...installation, ...overrides }, 'second', silentLog)
  const app = await buildApp(runtime)
  let closing: Promise<void> | undefined
  const close = () => (closing ??= app.close().then(() => runtime.close()))
  closeBeforeDatabase(close)
  return { base_url: await app.listen({ host: '127.0.0.1', port: 0 }), isListening: runtime.isListening, close }
}

/** A second worker on the same installation, stopped at the end of the file. */
export async function startSecondWorker({ runtime: first }: TestServer): Promise<void> {
  const { config, installation, delivery, outbound } = first
  const runtime = await openRuntime(config, installation, 'second', silentLog, { delivery, outbound })
  const runner = await startWorker(runtime, 'second')
  closeBeforeDatabase(async () => {
    await runner.stop(2000)
    await runtime.close()
  })
}
