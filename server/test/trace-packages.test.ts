import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { startReceiver } from './support/receiver.ts'
import { newDemoFolder, removeFolder, startService } from './support/service.ts'

/** The packages of OpenTelemetry take time and memory in every process, so only a process that sends traces loads them. */

const folder = await newDemoFolder()
after(() => removeFolder(folder))
const recorder = path.join(folder, 'recorder.mjs')
const loaded = path.join(folder, 'loaded')

/** In each process, also in workers: writes a line with its id for each import or `require` of these packages, and of our tracer. */
await writeFile(
  recorder,
  `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    if (/@opentelemetry|traces\\/index\\.ts$/.test(resolved.url))
      appendFileSync(${JSON.stringify(loaded)}, [process.pid, context.parentURL, resolved.url].join(' ') + '\\n')
    return resolved
  },
})
`,
)

/** What imports which package of OpenTelemetry until the service is ready, apart from these packages themselves, in each process. */
async function importsOf(env: Record<string, string>): Promise<Record<'main' | 'worker', string[]>> {
  await writeFile(loaded, '')
  const service = await startService(folder, { env: { ...env, NODE_OPTIONS: `--import=${recorder}` } })
  const [main, worker] = [service.pid('main'), service.pid('worker')]
  await service.stop()
  const lines = (await readFile(loaded, 'utf8')).split('\n').map((line) => line.split(' '))
  const imports = (pid: number | undefined) => {
    const own = lines.filter(([id]) => id === String(pid))
    assert.ok(
      own.some(([, , url]) => url?.endsWith('/traces/index.ts')),
      'the recorder sees what a process loads',
    )
    const all = own.map(([, parent, url]) => [moduleName(parent), moduleName(url)] as const)
    const from_outside = all.filter(
      ([from, to]) => to.startsWith('@opentelemetry') && !from.startsWith('@opentelemetry'),
    )
    return [...new Set(from_outside.map(([from, to]) => `${from} imports ${to}`))].toSorted()
  }
  return { main: imports(main), worker: imports(worker) }
}

/** The package of a module, or its path if it is ours. */
const moduleName = (url = ''): string =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? url.replace(/.*\/(server|api)\/src\//, '$1/src/')

/** It needs the interface for exemplars, which we don't use. */
const of_metrics = ['prom-client imports @opentelemetry/api']

test('no process loads a package of OpenTelemetry unless it sends traces', async () => {
  assert.deepEqual(await importsOf({}), { main: of_metrics, worker: of_metrics })

  const receiver = await startReceiver()
  const { main, worker } = await importsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url('') })
  assert.ok(main.includes('server/src/platform/traces/exporter.ts imports @opentelemetry/sdk-trace'), main.join('\n'))
  assert.deepEqual(worker, main)
})
