import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { demoTownCsv } from '../seed/town.ts'
import { hasEnded, newFolder, removeFolder, spawnService } from './support/service.ts'
import { eventually } from './support/eventually.ts'
import { blocksOf, failuresOf, root, runScript, unusedPatterns } from './support/page-commands.ts'
import type { Command, OtherStatus, Shell } from './support/page-commands.ts'

/**
 * Runs every command of the operator's pages as written, on a production installation that was set up with those of the page
 * on installing. Commands that cannot run in a test are listed here with the reason, which the test prints.
 */

const run = promisify(execFile)

const notRun: readonly [RegExp, string][] = [
  [
    /^(systemctl|timedatectl|useradd|install -|cp deploy|apt-get) ?/,
    'changes the machine: needs root, systemd, and the paths of an installation',
  ],
  [/npm ci/, 'replaces the packages that the test itself runs on'],
  [/^(docker|kubectl|cd deploy|for name in|printf '%s)/, 'needs Docker or a Kubernetes cluster'],
  [/^pgbackrest /, 'needs a PostgreSQL server with pgBackRest'],
  [/^age-keygen|age1…/, 'needs age, and a key of the reader'],
  [/^promtool /, 'needs Prometheus; monitoring.test.ts runs it with the same files'],
  [/cdrs -- (cold|warm|delete) ACCOUNT/, 'needs a month of call records'],
  [/^demarc /, 'needs the command line, whose tests run every command'],
  [
    /^(sha256sum --check|tar -xzf demarc-server)/,
    'needs the files of a release; acceptance/release.test.ts installs them',
  ],
  [/--doctor/, 'fails because the public URL of the page does not exist; start/doctor.test.ts runs it'],
  [/ s_client /, 'needs a mail relay'],
  [/^zstd |^cat \/var\/log\/freeswitch/, 'needs a program or the files of a switch'],
  [/test:clickhouse|cdrs -- (move|migrate)/, 'needs a ClickHouse server, or a cluster'],
  [/e911:evaluate/, 'needs a file of the Census Bureau, and takes minutes'],
  [/e911:import/, 'imports street data from its own process, which its own tests do'],
]

/** Responses other than 2xx that are right on a new installation, which lacks the record of the example. */
const otherStatuses: readonly OtherStatus[] = [
  [/ingests\/12\/refused/, 404],
  [/jobs\/build-cdr-export:12\/retry/, 404],
  [/notifications\/17\/replay/, 404],
  [/datasets\/3\/activate/, 404],
  // the page removes the dataset before it shows the places of one
  [/datasets\/2\/places/, 404],
]

/** What a page has in place of the values of this test. */
const substitutions = (world: World): readonly [string | RegExp, string][] => [
  ['/etc/demarc/demarc.env', world.env_file],
  ['/opt/demarc', root],
  ['runuser -u demarc -- ', ''],
  ['/var/backups/demarc', path.join(world.folder, 'backups')],
  ['http://127.0.0.1:8911', world.base_url],
  ['export OPERATOR=ok…:…', 'true'],
  [/datasets\/2\b/g, `datasets/${world.dataset}`],
]

interface World extends Shell {
  base_url: string
  env_file: string
  dataset: string
}

const pages = globSync('docs/operate/*.md', { cwd: root }).toSorted()
const first = ['docs/operate/install.md', 'docs/operate/keys-and-scopes.md', 'docs/operate/street-data.md']
const blocks = [...first, ...pages.filter((page) => !first.includes(page))].flatMap(blocksOf)

const reasonOf = ({ text }: Command) => notRun.find(([pattern]) => pattern.test(text))?.[1]

test('every reason for not running a command still applies to one', () => {
  const patterns = [...notRun, ...otherStatuses].map(([pattern]) => pattern)
  assert.deepEqual(unusedPatterns(patterns, blocks.flat()), [])
})

test('every command of the operator’s pages works as written', { timeout: 1_800_000 }, async (t) => {
  const folder = await newFolder()
  after(() => removeFolder(folder))
  const env_file = path.join(folder, 'demarc.env')
  await writeFile(env_file, documentedSettings(path.join(folder, 'data')))
  const settings = await readAsShell(env_file)
  assert.deepEqual(settings, readAsSystemd(await readFile(env_file, 'utf8')), 'systemd and the shell read the same')
  const { child, output } = spawnService(folder, { args: [], env: settings })
  t.after(async () => {
    child.kill('SIGTERM')
    await eventually(() => hasEnded(child))
  })
  await eventually(() => hasEnded(child) || output().includes('"msg":"ready"'))
  const base_url = /"listening":"(http[^"]+)"/.exec(output())?.[1] ?? assert.fail(output())
  const made = await run(process.execPath, [path.join(root, 'server/src/main.ts'), '--operator-key', 'test'], {
    env: { ...process.env, ...settings, DEMARC_LOG_LEVEL: 'silent' },
    cwd: root,
  })
  const credentials = JSON.parse(made.stdout) as { access_key: string; secret_key: string } // it prints that line alone
  const operator = createDemarcClient({ retry: false, base_url, credentials })
  const world: World = { folder, base_url, env_file, dataset: '1', env: { BASE: base_url, ...settings } }
  world.env['OPERATOR'] = `${credentials.access_key}:${credentials.secret_key}`
  await prepare(world, operator)
  const failures: string[] = []
  for (const block of blocks) failures.push(...(await runBlock(world, block)))
  const skipped = blocks.flat().filter((command) => reasonOf(command) !== undefined)
  for (const command of skipped)
    t.diagnostic(`not run, ${reasonOf(command)}: ${command.page}: ${command.text.split('\n')[0]}`)
  t.diagnostic(`${blocks.flat().length - skipped.length} commands run, ${skipped.length} not run`)
  assert.deepEqual(failures, [])
})

/** The settings of the page on installing, with the embedded engines and this test's values. */
function documentedSettings(data: string): string {
  const page = readFileSync(path.join(root, 'docs/operate/install.md'), 'utf8')
  const block = /^```\n(DATABASE_URL=[\s\S]*?)^```/m.exec(page)?.[1] ?? assert.fail('the page has no settings')
  const values: Record<string, string> = {
    DEMARC_DATA: data,
    DEMARC_PEPPER: 'a pepper for tests, of no value & with a space',
    DEMARC_SEAL_KEYS: 'k1:a-sealing-key-for-tests-of-no-value',
  }
  const kept = block
    .split('\n')
    .filter((line) => !/^(DATABASE|CLICKHOUSE|DEMARC_PUBLIC)_URL=/.test(line))
    .map((line) =>
      line.replace(/^(\w+)='.*'$/, (all, name: string) => (name in values ? `${name}='${values[name]}'` : all)),
    )
  return [
    ...kept,
    "DEMARC_EMBEDDED='allow'",
    "DEMARC_PORT='0'",
    "DEMARC_HELD_SERVER='on'",
    "DEMARC_LOST_SERVER='on'",
    '',
  ].join('\n')
}

/** systemd.exec(5): the text between single quotes is literal. */
const readAsSystemd = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)='([^']*)'$/gm)].map(([, name = '', value = '']) => [name, value]))

async function readAsShell(file: string): Promise<Record<string, string>> {
  const { stdout } = await run('env', ['-i', 'bash', '-c', 'set -a; . "$0"; set +a; env -0', file])
  const entries = stdout.split('\0').map((each) => [each.split('=', 1)[0] ?? '', each.slice(each.indexOf('=') + 1)])
  return Object.fromEntries(entries.filter(([name = '']) => /^(DEMARC|SMTP|DATABASE|CLICKHOUSE)/.test(name)))
}

/** An account with what the examples name: its key, names that wait for approval, a signed port order, and files to send. */
async function prepare(world: World, operator: DemarcClient): Promise<void> {
  const { id: account_id } = (await operator.createAccount({ body: { name: 'Harbor Dental' } })).body.data
  const key = (await operator.createKey({ params: { account_id }, body: { name: 'main' } })).body.data.attributes
  const client = createDemarcClient({ retry: false, base_url: world.base_url, credentials: key })
  world.env['KEY'] = `${key.access_key}:${key.secret_key}`
  for (let n = 1; n <= 17; n++) await client.createCnam({ body: { value: `Harbor ${n}` } })
  const created = await client.createPortOrder({
    body: {
      data: {
        type: 'portorder',
        attributes: {
          numbers: ['+12065557001'],
          provider: 'Bell',
          provider_account: '4711',
          billing_name: 'Rosa Diaz',
          street: '100 N Main St',
          city: 'Seattle',
          state: 'WA',
          zip: '98101',
          country: 'US',
          usage_type: 'Residential',
        },
      },
    },
  })
  const order = created.body.data
  assert.ok(order.type === 'portorder')
  const params = { portorder_id: order.id }
  const form = (await client.getLoa({ params })).body.data
  const attributes = { ...form.attributes, signature_name: 'Rosa Diaz', signature_title: 'Owner' }
  await client.submitLoa({ params, body: { data: { ...form, attributes } } })
  world.env['ID'] = order.id
  const town = demoTownCsv()
  const call = { account_id, id: 'a', direction: 'inbound', start_time: '2026-03-01T00:00:00Z', duration: 60 }
  const numbers = 'number,rate_center,state,monthly_cost,setup_cost,supplier\n12065550110,SEATTLE,WA,1.25,1.00,own\n'
  const files = {
    'numbers.csv': numbers,
    'addresses.csv': town,
    'calls.ndjson': `${JSON.stringify(call)}\n`,
    'loa.pdf': '%PDF-1.7\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(world.folder, name), text)
}

/** Runs the commands of a block in one shell. Returns those that failed, with the response. */
async function runBlock(world: World, block: readonly Command[]): Promise<string[]> {
  const failures: string[] = []
  let before = ''
  for (const command of block) {
    if (reasonOf(command) !== undefined) continue
    const text = substitutions(world).reduce((all, [from, to]) => all.replaceAll(from, to), command.text)
    // as the page on installing says, in the folder of the code
    const where = text.includes('npm run') ? `cd ${root}\n` : ''
    const outcome = await runScript(world, before + where + text)
    failures.push(...failuresOf(command, outcome, otherStatuses))
    const { stdout } = outcome
    const created = /"status":"loading"/.test(stdout) ? /"id":"(\d+)"/.exec(stdout)?.[1] : undefined
    if (created !== undefined) await whenLoaded(world, created)
    // commands that only set something apply to the next ones
    if (/^(cd|set|export|[A-Z_]+=)/.test(text)) before += `${text}\n`
  }
  return failures
}

async function whenLoaded(world: World, id: string): Promise<void> {
  world.dataset = id
  const [access_key = '', secret_key = ''] = (world.env['OPERATOR'] ?? '').split(':')
  const credentials = { access_key, secret_key }
  const operator = createDemarcClient({ retry: false, base_url: world.base_url, credentials })
  await eventually(async () => {
    const { body } = await operator.getE911Dataset({ params: { dataset_id: id } })
    return body.data.attributes.status !== 'loading'
  })
}
