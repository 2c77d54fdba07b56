import assert from 'node:assert/strict'
import { buildApp } from '../../src/app.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { openRuntime } from '../../src/runtime.ts'
import { closeBeforeDatabase } from './database.ts'
import { every, pathOf } from './operations.ts'
import { rawClient } from './raw-client.ts'
import type { TestServer } from './server.ts'

/** A server on the same installation that compiles its statements at each request and lets the driver parse rows. */
async function startGeneralApp({ runtime: { config, installation }, base_url: public_url }: TestServer) {
  const runtime = await openRuntime(config, installation, 'general', silentLog)
  const app = await buildApp(runtime)
  closeBeforeDatabase(() => app.close().then(() => runtime.close()))
  // a different instance than the pool's, so that no optimized path applies
  const db = runtime.deps.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => Promise.resolve(result),
  })
  Object.assign(runtime.deps, { db, public_url })
  return await app.listen({ host: '127.0.0.1', port: 0 })
}

const pages = ['limit=100', 'limit=2', 'limit=3&offset=1', 'limit=1&offset=100000']

/** The time of a key's last use is written while lists are read. */
const changing = new Set(['/v2/keys', '/operator/keys', '/operator/accounts/{account_id}/keys'])

/** Lists that must not be empty. */
const compared = [
  'Numbers',
  'Cnams',
  'Routes',
  'E911s',
  'PortOrders',
  'CdrExports',
  'Activity',
  'Notifications',
  'Events',
]

/** Requests pages of every list, for one account and for all, and asserts that the bytes equal those of the general path. */
export async function assertGeneralLists(
  server: TestServer,
  account_id: string,
  resources: Record<string, string>,
): Promise<void> {
  const params = { ...resources, account_id }
  const general = rawClient(await startGeneralApp(server), { credentials: server.operator_credentials })
  const raw = rawClient(server.base_url, { credentials: server.operator_credentials })
  const filled = new Set<string>()
  for (const operation of every) {
    const { method, query, id } = operation
    if (method !== 'GET' || !query || !('limit' in query.shape) || changing.has(operation.path)) continue
    for (const page of pages)
      for (const headers of [{}, { 'demarc-account': account_id }]) {
        const path = `${pathOf(operation, params)}?${page}`
        const [response, expected] = await Promise.all(
          [raw, general].map((ask) => ask('GET', path, undefined, headers)),
        )
        const [text, expected_text] = await Promise.all([response?.text(), expected?.text()])
        if (response?.status === 200) assert.equal(unsigned(text), unsigned(expected_text), path)
        else assert.equal(response?.status, expected?.status, path)
        if (text?.startsWith('{"data":[{')) filled.add(id)
      }
  }
  for (const name of compared) assert.ok(filled.has(`list${name}`), name)
}

/** Without what depends on the time of the request: the expiry of links to files, and the times before which data is deleted. */
const unsigned = (text = '') => text.replace(/expires=\d+&|signature=[\w-]+|"cutoff_at":"[^"]+"/g, '')
