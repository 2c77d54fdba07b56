import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import cli from '../../cli/package.json' with { type: 'json' }
import portal from '../../portal/package.json' with { type: 'json' }
import { run } from './run.ts'

/** The list of the packages that a release contains or installs, in CycloneDX 1.5: npm's list without those for development. */

const component = z.looseObject({
  'bom-ref': z.string(),
  scope: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })),
})
const document = z.looseObject({
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
})
const lock = z.object({
  packages: z.record(z.string(), z.looseObject({ name: z.string().optional(), version: z.string().optional() })),
})

/** In the build of the portal and in the command line: all that they name except the tools that build them. */
const tools = ['esbuild', 'vite']
const bundled = Object.entries({ ...portal.dependencies, ...cli.devDependencies }).filter(
  ([name]) => !tools.includes(name),
)
const bundles = [portal, cli].map(({ name, version }) => `${name}@${version}`)

/** The document for a server whose folder has this lock. Throws if npm's list lacks a package of it. */
export function billOfMaterials(lock_file: string, time: Date): string {
  const all = document.parse(JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'])))
  const requires = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const kept = new Set([...lockedIn(lock_file), ...bundles])
  const missing = [...kept].filter((ref) => !requires.has(ref))
  if (missing.length > 0) throw new Error(`npm's list of packages lacks ${missing.join(', ')}.`)
  const queue = bundled.map(([name, version]) => `${name}@${version}`)
  for (let ref = queue.pop(); ref !== undefined; ref = queue.pop())
    if (!kept.has(ref)) {
      kept.add(ref)
      queue.push(...(requires.get(ref) ?? []))
    }
  const main = all.metadata.component['bom-ref']
  const components = all.components.filter((each) => kept.has(each['bom-ref'])).map(released)
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref) || ref === main)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
  const metadata = { ...all.metadata, timestamp: time.toISOString(), component: released(all.metadata.component) }
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify({ components, dependencies }))}`
  return `${JSON.stringify({ ...all, serialNumber, metadata, components, dependencies }, null, 2)}\n`
}

/** References to the packages in a lock: `zod@4.6.7`. */
function lockedIn(file: string): string[] {
  const { packages } = lock.parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(packages).flatMap(([at, { name = at.slice(at.lastIndexOf('node_modules/') + 13), version }]) =>
    at === '' || version === undefined ? [] : [`${name}@${version}`],
  )
}

/** npm names the packages of the repository by their folders, and marks a package of the command line as one for development. */
function released({ properties, ...each }: z.infer<typeof component>) {
  const kept = properties.filter(({ name }) => name !== 'cdx:npm:package:development')
  return {
    ...each,
    name: each['bom-ref'].replace(/@[^@]+$/, ''),
    scope: kept.length < properties.length ? 'required' : each.scope,
    properties: kept,
  }
}

/** A UUID of version 8 (RFC 9562), equal for equal text. */
const uuidOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
