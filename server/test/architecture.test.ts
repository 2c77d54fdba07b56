import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { unmatched } from '../../scripts/suites.ts'

/** The import rule of ARCHITECTURE.md: a file's name is its layer. Imports that are not allowed here are refused. */

const root = path.resolve(import.meta.dirname, '../..')

/** Features from the ground up: each may use the public APIs of those before it. */
const ladder = [
  'accounts',
  'people',
  'voice-routes',
  'cnam',
  'e911',
  'numbers',
  'inventory',
  'cdrs',
  'order-documents',
  'port-orders',
  'activity',
  'search',
  'notifications',
  'notices',
  'location',
  'retention',
  'operator',
  'backup',
] as const

/** Our libraries between platform and features. Each may use the public APIs of those before it. */
const engines = ['postgres', 'addresses', 'street-data', 'call-records'] as const

/** What engines may use of the platform: database, files, errors, processes. No actor, no HTTP, no event, no job. */
const forEngines =
  /^server\/src\/platform\/(db|files\/index|file-text|csv|zip|problem|unavailable|processes|patience|start-refused|turns|traces\/outgoing|postgres\/[a-z-]+)\.ts$/

/** Nothing imports these: they read events, speak another protocol, or are on top of everything. */
const closed = new Set<string>([
  'activity',
  'search',
  'notifications',
  'notices',
  'location',
  'retention',
  'operator',
  'backup',
])

interface Import {
  file: string
  target: string
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const found = text.matchAll(
    /^(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm,
  )
  return [...found].map((m) => {
    const name = m[1] ?? m[2] ?? m[3] ?? ''
    return { file, target: name.startsWith('.') ? path.normalize(path.join(path.dirname(file), name)) : name }
  })
}

const sources = (pattern: string) => globSync(pattern, { cwd: root }).filter((f) => !f.includes('node_modules'))
const product = (pattern: string) => sources(pattern).filter((f) => !f.endsWith('.test.ts') && !f.includes('/testing/'))

const featureOf = (file: string) => /^server\/src\/([^/]+)\//.exec(file)?.[1]
const engineOf = (file: string) => /^server\/src\/engines\/([^/]+)\//.exec(file)?.[1]
const isEngine = (name: string | undefined): name is (typeof engines)[number] => engines.includes(name as never)
const isFeature = (name: string | undefined): name is (typeof ladder)[number] => ladder.includes(name as never)

function violation({ file, target }: Import): string | null {
  const feature = featureOf(file)
  const name = path.basename(file)
  const local = target.startsWith('server/')
  if (file.startsWith('acceptance/'))
    return /^@demarc\/client(\/(light|node))?$/.test(target) ||
      /^(node:|ajv\/|zod$|esbuild$|acceptance\/)/.test(target) ||
      (target === 'pg' && (name === 'kept-state.ts' || file === 'acceptance/support/database.ts')) ||
      (target === 'playwright-core' && file === 'acceptance/support/chromium.ts')
      ? null
      : 'acceptance knows the service by its API: the client, and validators of what it sends; two files read what is kept'
  if (file.startsWith('scripts/e911-evaluate/'))
    return target.startsWith('node:') ||
      /^(scripts\/e911-evaluate\/|acceptance\/support\/(service|arguments)\.ts$)/.test(target)
      ? null
      : 'the evaluation shares no code with what it evaluates: it knows the service by HTTP'
  if (file.startsWith('portal/')) return portalViolation(file, target)
  if (file.startsWith('api/src/node/') && target.startsWith('node:')) return null
  if (file.startsWith('api/src/client/') && target === 'zod') return 'the client needs no zod when it runs'
  if (file.startsWith('cli/src/'))
    return /^(node:|cli\/|@demarc\/client(\/light|\/node|\/rules)?$|commander$)/.test(target)
      ? null
      : 'the command line knows the service by the client'
  if (file.startsWith('api/')) return target === 'zod' || target.startsWith('api/') ? null : 'api imports zod only'
  if (feature === 'platform')
    return local && featureOf(target) !== 'platform' && target !== 'server/package.json'
      ? 'platform knows no feature'
      : null
  const engine = engineOf(target)
  if (feature === 'engines') return engineViolation(file, target)
  if (engine !== undefined && local && path.basename(target) !== 'index.ts')
    return `engines are entered by their public API, engines/${engine}/index.ts`
  if (!isFeature(feature)) return null
  if (name === 'rules.ts' && !isPure(target, feature)) return 'rules are pure: api, platform/problem and own parts only'
  if (name === 'store.ts' && !isForStore(target, feature))
    return 'store knows the database, its own tables and own pure parts'
  if (/^(fastify|@fastify)/.test(target) && !['pages.ts'].includes(name)) return 'features do not know Fastify'
  const other = featureOf(target)
  if (!local || other === feature || !isFeature(other)) return null
  if (closed.has(other)) return `nobody imports ${other}`
  if (path.basename(target) !== 'index.ts') return `other features are entered by their public API, ${other}/index.ts`
  return ladder.indexOf(other) < ladder.indexOf(feature) ? null : `${feature} stands below ${other} on the ladder`
}

const portalLibraries =
  /^(react|react-dom\/client|react-aria-components|lucide-react|@tanstack\/react-(router|query)|@visx\/\w+|qr|@fontsource-variable\/.+)$/

function portalViolation(file: string, target: string): string | null {
  if (file.startsWith('portal/stories/'))
    return /^(node:|portal\/|acceptance\/support\/|server\/src\/platform\/mail\/testing\/|@demarc\/client$|playwright-core$|@axe-core\/playwright$|qr\/decode\.js$)/.test(
      target,
    ) || target === 'server/test/support/openid-provider.ts'
      ? null
      : 'stories know the service by its pages and its API'
  if (!file.startsWith('portal/src/'))
    return /^(node:|portal\/|vite$)/.test(target) ? null : 'what builds the portal knows nothing of the service'
  if (portalLibraries.test(target)) return null
  if (file.startsWith('portal/src/ui/'))
    return target.startsWith('portal/src/ui/') ? null : 'ui knows nothing of numbering: libraries, and itself'
  return target.startsWith('portal/src/') || /^@demarc\/client(\/(light|rules))?$/.test(target)
    ? null
    : 'the portal is built on the client and libraries'
}

function engineViolation(file: string, target: string): string | null {
  if (/^(fastify|@fastify)/.test(target)) return 'engines do not know HTTP servers'
  if (!target.startsWith('server/') || forEngines.test(target)) return null
  const [own, other] = [engineOf(file), engineOf(target)]
  if (own === other) return null
  if (!isEngine(own) || !isEngine(other)) return 'engines know no feature, and of the platform its database and errors'
  if (path.basename(target) !== 'index.ts') return `engines are entered by their public API, engines/${other}/index.ts`
  return engines.indexOf(other) < engines.indexOf(own) ? null : `${own} stands below ${other}`
}

function isForStore(target: string, feature: string): boolean {
  // pg itself for what Kysely doesn't support: COPY
  if (
    target === 'kysely' ||
    target === 'pg' ||
    target === '@demarc/client' ||
    /platform\/(db|actor|rows)\.ts$/.test(target)
  )
    return true
  if (engineOf(target) !== undefined) return true
  return featureOf(target) === feature && !/(actions|routes|jobs|index)\.ts$/.test(target)
}

function isPure(target: string, feature: string): boolean {
  // isIP is a function of its argument alone
  if (target === '@demarc/client' || target === 'node:net') return true
  if (target.endsWith('platform/problem.ts')) return true
  // rules may use an engine's pure functions and types
  if (engineOf(target) !== undefined) return true
  return featureOf(target) === feature && !/(store|actions|routes|jobs)\.ts$/.test(target)
}

test('statements list their columns: a prepared statement for all of them breaks when a migration adds one', () => {
  const found = product('server/src/**/*.ts').filter((file) =>
    /select \*|returning \*|selectAll\(|returningAll\(/i.test(readFileSync(path.join(root, file), 'utf8')),
  )
  const inner = product('server/src/**/*store.ts').filter((file) =>
    /[\s,]\w+\.\*/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  assert.deepEqual([...found, ...inner], [])
})

test('every import follows the rule', () => {
  const violations = [
    ...product('{api/src,server/src,scripts/e911-evaluate}/**/*.ts'),
    ...sources('acceptance/**/*.ts'),
    ...product('cli/src/**/*.ts'),
    ...product('portal/**/*.{ts,tsx}'),
  ]
    .flatMap(importsOf)
    .map((i) => ({ ...i, violation: violation(i) }))
    .filter((i) => i.violation !== null)
  assert.deepEqual(
    violations.map((f) => `${f.file} must not import ${f.target}: ${f.violation}`),
    [],
  )
})

test('the rule refuses forbidden imports', () => {
  const refused: [string, string][] = [
    ['server/src/cdrs/rules.ts', 'fastify'],
    ['server/src/cdrs/rules.ts', 'server/src/platform/db.ts'],
    ['server/src/platform/db.ts', 'server/src/cdrs/index.ts'],
    ['server/src/cnam/actions.ts', 'server/src/numbers/index.ts'],
    ['server/src/numbers/actions.ts', 'server/src/cnam/store.ts'],
    ['server/src/cdrs/actions.ts', 'server/src/notifications/index.ts'],
    ['server/src/cdrs/actions.ts', 'server/src/engines/call-records/stream.ts'],
    ['server/src/engines/addresses/address.ts', 'server/src/engines/street-data/index.ts'],
    ['server/src/engines/street-data/store.ts', 'server/src/engines/addresses/address.ts'],
    ['server/src/engines/street-data/store.ts', 'server/src/e911/index.ts'],
    ['server/src/engines/street-data/store.ts', 'server/src/platform/actor.ts'],
    ['server/src/engines/street-data/switch.ts', 'server/src/platform/jobs.ts'],
    ['server/src/engines/street-data/switch.ts', 'server/src/platform/events.ts'],
    ['server/src/engines/call-records/warehouse.ts', 'fastify'],
    ['server/src/platform/db.ts', 'server/src/engines/postgres/index.ts'],
    ['api/src/cnams.ts', 'kysely'],
    ['acceptance/port-orders.test.ts', 'server/test/support/receiver.ts'],
    ['acceptance/support/service.ts', 'pg'],
    ['portal/src/numbers/list.tsx', 'server/src/numbers/index.ts'],
    ['portal/src/ui/table.tsx', 'portal/src/api.ts'],
    ['portal/src/ui/table.tsx', '@demarc/client'],
    ['portal/src/numbers/list.tsx', 'axios'],
    ['portal/stories/every-page.test.ts', 'server/test/support/server.ts'],
    ['cli/src/commands/numbers.ts', 'server/src/numbers/index.ts'],
    ['scripts/e911-evaluate/source.ts', 'server/src/engines/addresses/index.ts'],
    ['scripts/e911-evaluate/records.ts', 'server/src/engines/street-data/index.ts'],
    ['scripts/e911-evaluate/service.ts', 'server/test/support/server.ts'],
  ]
  for (const [file, target] of refused) assert.notEqual(violation({ file, target }), null, `${file} → ${target}`)
})

test('every engine is in the list of engines and has a public API', () => {
  const folders = new Set(product('server/src/engines/*/*.ts').map(engineOf))
  assert.deepEqual([...folders].toSorted(), [...engines].toSorted())
  for (const engine of engines) assert.ok(existsSync(path.join(root, `server/src/engines/${engine}/index.ts`)), engine)
})

test('there are no import cycles', () => {
  const files = [...product('{api,server,scripts,acceptance,bench,cli,portal}/**/*.{ts,tsx}')]
  const graph = new Map(files.map((file) => [file, importsOf(file).map((i) => i.target)]))
  const circles = files.filter((file) => reaches(graph, file, file))
  assert.deepEqual(circles, [])
})

function reaches(graph: ReadonlyMap<string, string[]>, from: string, goal: string): boolean {
  const seen = new Set<string>()
  const next = [...(graph.get(from) ?? [])]
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (at === goal) return true
    if (seen.has(at)) continue
    seen.add(at)
    next.push(...(graph.get(at) ?? []))
  }
  return false
}

test('every feature folder is in the list of features', () => {
  const folders = new Set(product('server/src/*/*.ts').map(featureOf))
  assert.deepEqual(
    [...folders].filter((f) => f !== undefined && !['platform', 'engines', 'start'].includes(f) && !isFeature(f)),
    [],
  )
})

test('only stores and the platform contain SQL', () => {
  const offenders = product('server/src/**/*.ts').filter((file) => {
    if (featureOf(file) === 'platform' || /store\.ts$|engines\/call-records\/|health\.ts$/.test(file)) return false
    return /from 'kysely'/.test(readFileSync(path.join(root, file), 'utf8')) && !file.endsWith('tables.ts')
  })
  assert.deepEqual(offenders, [])
})

test('only config.ts reads the environment and passes it on', () => {
  const readers = product('server/src/**/*.ts').filter((file) =>
    /process\.env/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  const known = readers.filter(
    (file) =>
      !/^server\/src\/(main|start\/(command|worker-child))\.ts$/.test(file) &&
      !file.startsWith('server/src/engines/postgres/') &&
      !file.startsWith('server/src/engines/call-records/chdb/'),
  )
  assert.deepEqual(known, [])
})

test('portal pages send no requests directly, and only tokens.css defines colors', () => {
  const senders = sources('portal/src/**/*.{ts,tsx}').filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      // uploads report progress, which the client does not; api.ts sends the API reference's requests exactly as typed
      !['portal/src/files.ts', 'portal/src/api.ts'].includes(file) &&
      /\b(fetch|XMLHttpRequest|EventSource)\(/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  assert.deepEqual(senders, [])
  const colorful = sources('portal/src/**/*.css').filter(
    (file) =>
      !file.endsWith('tokens.css') &&
      /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i.test(readFileSync(path.join(root, file), 'utf8')),
  )
  assert.deepEqual(colorful, [])
})

test('files stay readable: 320 lines at most', () => {
  const long = [...sources('{api,server,scripts,acceptance,bench,cli,portal}/**/*.{ts,tsx}')].filter(
    (f) => readFileSync(path.join(root, f), 'utf8').split('\n').length > 321,
  )
  assert.deepEqual(long, [])
})

test('no file has a TODO', () => {
  const marks = sources('{api,server,scripts,acceptance,bench,cli,portal}/**/*.{ts,tsx}').filter(
    (f) =>
      !f.endsWith('architecture.test.ts') && /\b(TODO|FIXME|XXX|HACK)\b/.test(readFileSync(path.join(root, f), 'utf8')),
  )
  assert.deepEqual(marks, [])
})

test('every pattern in the list of the full suite matches a test file', () => {
  assert.deepEqual(unmatched(sources('**/*.test.ts')), [])
})
