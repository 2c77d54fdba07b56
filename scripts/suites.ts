import path from 'node:path'

/**
 * Test files that take long and are not needed for every change, by the reason they are left to `npm run test:full`.
 * `npm test` runs every other file.
 */
const full_only = {
  'kill, stop, fill or overload the service': [
    'acceptance/{backup,busy-engine,drills,outages,overload,release,sockets}.test.ts',
    'server/test/{containers,failover,full-disk,pooler,revoked-keys}.test.ts',
    'server/src/backup/backup.test.ts',
    'server/src/cdrs/{cold,cold-interrupted,insert-lock,migrate,routes-failures,shards}.test.ts',
    'server/test/e2e/*.test.ts',
    'server/src/cdrs/fairness.test.ts',
    'server/src/port-orders/killed-worker.test.ts',
    'server/src/order-documents/pull-crash.test.ts',
    'server/src/engines/call-records/{error-codes,export-broken,full,handover,shards,silence}.test.ts',
    'server/src/engines/call-records/chdb/{child,disk,engine,watchdog}.test.ts',
    'server/src/engines/postgres/{hang,launcher}.test.ts',
    'server/src/platform/{commit-lost,jobs-lost,replicas}.test.ts',
    'server/src/platform/postgres/commit-outcome.test.ts',
    'server/src/platform/files/s3.test.ts',
  ],
  'start processes; the features they use are tested over HTTP in every run': [
    'acceptance/{client-service,emergency-addresses,port-orders,published-calls,write-back}.test.ts',
    'acceptance/published-clients-{nodejs,python}.test.ts',
    'cli/test/{completion,faults,files,guide,listen,package}.test.ts',
    'server/src/{main,start/demo,start/doctor,start/refused,start/worker-child}.test.ts',
    'server/test/{e911-processes,guide-pages,operator-pages,processes,production,secret-keys,secrets,trace-packages}.test.ts',
  ],
  'test an engine on its own; its features use it over HTTP in every run': [
    'server/src/engines/addresses/validators/{chain,local,local-data,local-numbers,local-places}.test.ts',
    'server/src/engines/call-records/{archive,export,filter,groups,insert,rows,slices,summary,url}.test.ts',
    'server/src/engines/call-records/ingest/{http,ingest,unavailable}.test.ts',
    'server/src/engines/street-data/{clear,coverage,datasets,lookup,report,switch}.test.ts',
    'server/src/engines/street-data/import/{importer,suffixes,tables}.test.ts',
  ],
  'run in npm run check too': ['server/test/{architecture,words}.test.ts'],
  'install the published packages': ['acceptance/client-package.test.ts'],
  'generate thousands of requests, records or addresses': [
    'acceptance/fuzz.test.ts',
    'cli/test/reconcile.test.ts',
    'scripts/e911-evaluate/{evaluate,sources}.test.ts',
    'server/test/e911-false-accepts.test.ts',
    'server/src/engines/call-records/differential.test.ts',
    'server/src/engines/call-records/ingest/memory.test.ts',
    'server/src/port-orders/scale.test.ts',
  ],
} as const satisfies Record<string, readonly string[]>

/** Files that both suites run, with different tests: they read DEMARC_TEST_SUITE. */
const split = ['acceptance/crash.test.ts', 'cli/test/transcripts.test.ts', 'portal/stories/portal.test.ts']

/** `quick` is `npm test`, `rest` is everything else, `all` is both. */
export type Suite = 'quick' | 'rest' | 'all'

export function filesOf(suite: Suite, files: readonly string[]): string[] {
  const patterns = Object.values(full_only).flat()
  return files.filter(
    (file) => suite === 'all' || split.includes(file) || matches(file, patterns) === (suite === 'rest'),
  )
}

/** Patterns in the list that match no file, because a file was moved or removed. */
export function unmatched(files: readonly string[]): string[] {
  const patterns = [...Object.values(full_only).flat(), ...split]
  return patterns.filter((pattern) => !files.some((file) => path.matchesGlob(file, pattern)))
}

const matches = (file: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => path.matchesGlob(file, pattern))

/** Files with their own process, because starting services takes most of their time. */
const { 'test an engine on its own; its features use it over HTTP in every run': _engines, ...own_process } = full_only
const alone = [...split, ...Object.values(own_process).flat()]

/** Large enough that importing the service takes little of a process's time, small enough that the last ones end together. */
const files_per_process = 16

/** The files that run one after another in the same process. The processes start in this order. */
export function groupsOf(files: readonly string[]): string[][] {
  const together = files.filter((file) => !matches(file, alone))
  const count = Math.ceil(together.length / files_per_process)
  const shared = Array.from({ length: count }, (_, nth) => together.filter((_, i) => i % count === nth))
  const own = files.filter((file) => matches(file, alone)).map((file) => [file])
  // the first of the long ones creates the demo data, for which the next ones would wait
  return [...shared.slice(0, 2), ...own, ...shared.slice(2)]
}
