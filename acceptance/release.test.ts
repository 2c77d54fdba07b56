import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { waitForExport, type DemarcClient } from '@demarc/client'
import * as z from 'zod'
import { laterRelease } from './drills/release.ts'
import { copyDemoData, newFolder, startService, type Keys, type Service } from './support/service.ts'

/** A release is packed from this checkout, and its database is upgraded by a later release. */

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..')
const folder = await newFolder()
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))

/** Packs this checkout into a new folder, which it returns. */
async function pack(name: string): Promise<string> {
  const packed = path.join(folder, name)
  await run(process.execPath, [path.join(root, 'scripts/release/main.ts'), '--snapshot', packed])
  return packed
}
const [first, second] = await Promise.all([pack('first'), pack('second')])
const sums = readFileSync(path.join(first, 'SHA256SUMS'), 'utf8')
const nameOf = (pattern: RegExp) => pattern.exec(sums)?.[0] ?? assert.fail(`${sums} has no ${pattern}`)

const server = path.join(folder, 'previous', nameOf(/demarc-server-.*(?=\.tar\.gz)/).replace('-server', ''))
mkdirSync(path.dirname(server))
await run('tar', ['-xzf', path.join(first, nameOf(/demarc-server-.*/)), '-C', path.dirname(server)])
await chmod(path.dirname(server), 0o711)

const lock = z
  .object({
    packages: z.record(z.string(), z.looseObject({ name: z.string().optional(), version: z.string().optional() })),
  })
  .parse(JSON.parse(readFileSync(path.join(server, 'package-lock.json'), 'utf8')))

test('the same files give the same bytes', async () => {
  assert.equal(readFileSync(path.join(second, 'SHA256SUMS'), 'utf8'), sums)
  assert.equal(sums.trimEnd().split('\n').length, 4)
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first })
})

test('the lock has what the service needs and nothing for development, and the list of packages has all of it', () => {
  const bom = z
    .object({
      specVersion: z.literal('1.5'),
      serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      components: z.array(z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() })),
      dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
    })
    .parse(JSON.parse(readFileSync(path.join(first, nameOf(/demarc-\S*\.cdx\.json/)), 'utf8')))
  const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`))
  assert.equal(listed.size, bom.components.length)
  const names = new Set(bom.components.map(({ name }) => name))
  for (const [at, { name = at.split('node_modules/').at(-1), version }] of Object.entries(lock.packages))
    if (at !== '' && version !== undefined) assert.ok(listed.has(`${name}@${version}`), at)
  for (const bundled of ['react', 'react-aria', '@tanstack/query-core', 'commander', 'demarc', '@demarc/portal', 'zod'])
    assert.ok(names.has(bundled), bundled)
  for (const tool of ['typescript', 'oxlint', 'vite', 'esbuild', '@types/node', '@demarc/acceptance'])
    assert.ok(!names.has(tool) && lock.packages[`node_modules/${tool}`] === undefined, tool)
  const refs = new Set(bom.components.map((each) => each['bom-ref']))
  for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
})

/** The packages that `npm ci` would install, from this checkout. */
function linkPackages(): void {
  for (const at of Object.keys(lock.packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(at) ?? []
    const target = name?.startsWith('@demarc/') ? path.join(server, 'api') : path.join(root, at)
    if (name === undefined || name === '@demarc/server' || !existsSync(target)) continue
    mkdirSync(path.join(server, path.dirname(at)), { recursive: true })
    symlinkSync(target, path.join(server, at))
  }
}

async function start(program: string): Promise<Service> {
  const service = await startService(folder, { DEMARC_QUEUE_MS: '60000' }, program)
  after(() => service.end())
  return service
}

/** Ends a service, so that another one can start on its data. */
async function end(service: Service): Promise<void> {
  await service.end()
  await rm(path.join(folder, 'data/demo.json'))
}

const lists = ['numbers', 'cnams', 'routes', 'e911s', 'portorders', 'cdrs/exports'].map(
  (each) => `/v2/${each}?limit=200`,
)
/** A start adds events; those before it stay as they are. */
const now = encodeURIComponent(new Date().toISOString())
const operator_lists = ['accounts?limit=200', `audit?limit=200&before=${now}`, 'portorders?limit=200'].map(
  (each) => `/operator/${each}`,
)

async function read({ base_url }: Service, { access_key, secret_key }: Keys, url: string) {
  const authorization = `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`
  const response = await fetch(base_url + url, { headers: { authorization } })
  return { status: response.status, text: (await response.text()).replaceAll(base_url, '') }
}

/** What the customers and the operator see. */
async function seen(service: Service, keys: Service['keys']): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [who, urls] of [
    ['account', lists],
    ['other', lists],
    ['operator', operator_lists],
  ] as const)
    for (const url of urls) {
      const { status, text } = await read(service, keys[who], url)
      assert.equal(status, 200, `${url}: ${text}`)
      found[`${who} ${url}`] = text
    }
  return found
}

/** The digest of all call records of an account, sorted. */
async function digest(client: DemarcClient): Promise<string> {
  const filter_parameters = { start_call_start_time: '2020-01-01 00:00:00', start_call_end_time: '2040-01-01 00:00:00' }
  const attributes = { callback_url: 'http://127.0.0.1:9/', filter_parameters }
  const { body } = await client.createCdrExport({ body: { data: { type: 'cdrexport', attributes } } })
  const { attributes: completed } = await waitForExport(client, body.data.id, { poll_ms: 100 })
  return completed.sha256 ?? assert.fail('an export without a digest')
}

test('a later release upgrades the database of the release before, and customers see the same', async () => {
  linkPackages()
  await copyDemoData(folder)
  const previous = await start(path.join(server, 'server'))
  const { keys } = previous
  const build: unknown = JSON.parse(readFileSync(path.join(server, 'server/build.json'), 'utf8'))
  const health = z.looseObject({ version: z.string(), commit: z.string().nullable() })
  const ready = async (service: Service) => health.parse(await (await fetch(`${service.base_url}/health/ready`)).json())
  assert.partialDeepStrictEqual(await ready(previous), Object(build))
  const calls = await Promise.all([digest(previous.account), digest(previous.other)])
  const before = await seen(previous, keys)
  await end(previous)

  const sql = 'alter table account add column drill_note text;\n'
  const later = await start(laterRelease(folder, '99.0.0', [{ name: '9000_account_note.sql', sql }]))
  assert.partialDeepStrictEqual(await ready(later), { version: '99.0.0', commit: null })
  assert.deepEqual(await seen(later, keys), before)
  assert.deepEqual(await Promise.all([digest(later.account), digest(later.other)]), calls)
  const { body } = await later.operator.verifyEvents({})
  assert.equal(body.data.intact, true)
  await end(later)

  // the documented way back while no migration contracts
  const again = await start(path.join(server, 'server'))
  assert.equal((await read(again, keys.account, '/v2/numbers')).status, 200)
  await end(again)
})
