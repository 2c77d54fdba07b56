import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readMigrations } from '../../server/src/platform/migrate.ts'
import { freeze, readReleased } from '../../server/test/support/released.ts'
import { packRelease, version } from './pack.ts'
import { git, root } from './run.ts'

const usage = `npm run release -- DIR    packs the release of this checkout into the folder DIR

  --snapshot   also packs uncommitted changes, and a version that is not prepared
  --freeze     only records the migrations of this version in server/migrations/released.json

See CONTRIBUTING.md, "Make a release".`

const migrations = path.join(root, 'server/migrations')

/** What keeps this checkout from being released. */
async function obstacles(): Promise<string[]> {
  const found: string[] = []
  if (git('status', '--porcelain') !== '') found.push('The checkout has changes that are not committed.')
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  if (!changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} `)))
    found.push(`CHANGELOG.md has no section "## ${version}".`)
  if (!(version in (await readReleased(migrations))))
    found.push(`The migrations of ${version} are not recorded: run npm run release -- --freeze, and commit the file.`)
  return found
}

const options = { snapshot: { type: 'boolean' }, freeze: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [folder, ...more] = positionals
if (values.freeze) {
  const released = freeze(await readReleased(migrations), version, await readMigrations(migrations))
  writeFileSync(path.join(migrations, 'released.json'), `${JSON.stringify(released, null, 2)}\n`)
} else if (folder === undefined || more.length > 0) {
  console.error(usage)
  process.exitCode = 2
} else {
  const found = await obstacles()
  for (const each of found) console.error(each)
  if (found.length > 0 && !values.snapshot) process.exitCode = 1
  else for (const line of packRelease(path.resolve(folder))) console.log(line)
}
