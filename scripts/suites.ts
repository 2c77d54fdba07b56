import path from 'node:path'

/**
 * Test files that take long and are not needed for every change, by the reason they are left to `npm run test:full`.
 * `npm test` runs every other file.
 */
const full_only: Readonly<Record<string, readonly string[]>> = {
  'kill, stop, fill or overload the service': [
    'acceptance/{busy-engine,outages,overload,sockets}.test.ts',
    'server/test/full-disk.test.ts',
    'server/test/e2e/*.test.ts',
    'server/src/port-orders/killed-worker.test.ts',
    'server/src/order-documents/pull-crash.test.ts',
    'server/src/engines/call-records/{export-broken,full,handover,silence}.test.ts',
    'server/src/engines/call-records/chdb/{engine,watchdog}.test.ts',
    'server/src/engines/postgres/{hang,launcher}.test.ts',
    'server/src/platform/commit-lost.test.ts',
  ],
  'start the processes of the service; the features they use are tested over HTTP in every run': [
    'acceptance/{client-service,emergency-addresses,port-orders,published-calls,write-back}.test.ts',
    'acceptance/published-clients-{nodejs,python}.test.ts',
    'cli/test/{faults,files,guide,listen,package}.test.ts',
    'server/src/{main,start/demo,start/worker-child}.test.ts',
    'server/test/{e911-processes,processes,production,secrets}.test.ts',
  ],
  'install the published packages': ['acceptance/client-package.test.ts'],
  'generate thousands of requests, records or addresses': [
    'acceptance/fuzz.test.ts',
    'scripts/e911-evaluate/evaluate.test.ts',
    'server/test/e911-false-accepts.test.ts',
    'server/src/engines/call-records/differential.test.ts',
    'server/src/engines/call-records/ingest/memory.test.ts',
    'server/src/port-orders/scale.test.ts',
  ],
}

/** Files that both suites run, with different tests: they read DEMARC_TEST_SUITE. */
const split = ['acceptance/crash.test.ts', 'portal/stories/portal.test.ts']

/** `quick` is `npm test`, `rest` is everything else, `all` is both. */
export type Suite = 'quick' | 'rest' | 'all'

export function filesOf(suite: Suite, files: readonly string[]): string[] {
  const patterns = Object.values(full_only).flat()
  const isFull = (file: string) => patterns.some((pattern) => path.matchesGlob(file, pattern))
  return files.filter((file) => suite === 'all' || split.includes(file) || isFull(file) === (suite === 'rest'))
}

/** Patterns in the list that match no file, because a file was moved or removed. */
export function unmatched(files: readonly string[]): string[] {
  const patterns = [...Object.values(full_only).flat(), ...split]
  return patterns.filter((pattern) => !files.some((file) => path.matchesGlob(file, pattern)))
}
