import { after } from 'node:test'
import { buildServer, listenOn, type HttpOptions } from '../../src/platform/http/server.ts'
import type { Binding } from '../../src/platform/http/binding.ts'
import { problem } from '../../src/platform/problem.ts'
import type { Runtime } from '../../src/runtime.ts'

/**
 * The HTTP server alone, with the test's own bindings and a running service's dependencies: for errors and short limits. A
 * request with `Authorization: operator` is an operator's. Returns the base URL.
 */
export async function startBareServer(
  runtime: Runtime,
  bindings: readonly Binding[],
  options: Partial<HttpOptions> = {},
): Promise<string> {
  const app = buildServer(runtime.deps, bindings, {
    async authenticate({ authorization }) {
      if (authorization !== 'operator') throw problem('unauthorized')
      return { kind: 'operator', account_id: null, key_id: '1', access_key: 'oktest', scopes: ['write'] }
    },
    limit: async () => ({}),
    body_limit_bytes: 20_000,
    trust_proxy: [],
    ...options,
  })
  after(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return await listenOn(app, { host: '127.0.0.1', port: 0 })
}
