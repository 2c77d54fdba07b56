import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { signWebhook } from '@demarc/client'
import { eventually } from './support/eventually.ts'
import { blocksOf, failuresOf, root, runScript, unusedPatterns } from './support/page-commands.ts'
import type { Command, OtherStatus, Shell } from './support/page-commands.ts'
import { newDemoFolder, removeFolder, startService, type Service } from './support/service.ts'

/** Runs every request of the customers' guides as written, on the demo data and with the variables of the first guide. */

// about the command line and the client; other tests run the second page's examples and compile the third's
const elsewhere = ['command-line', 'ten-commands', 'typed-client'].map((name) => `docs/guide/${name}.md`)
const first = 'docs/guide/getting-started.md'
// moves the clock
const last = 'docs/guide/demo-mode.md'
const others = globSync('docs/guide/*.md', { cwd: root }).filter((page) => ![first, last, ...elsewhere].includes(page))
const blocks = [first, ...others.toSorted(), last].flatMap(blocksOf)

/** Responses other than 2xx that are right for the example, by its text. */
const otherStatuses: readonly OtherStatus[] = [
  // the command before has downloaded the whole file
  [/ -C - /, 416],
]

/** The demo's order in a status that allows the request, where the page's own order is in another one. */
const orders: readonly [RegExp, string][] = [
  [/\$ID\/files/, '1008'],
  [/"provider_account": "4711-23"|\/resubmit/, '1011'],
  [/"status": "cancelled"/, '1008'],
]

const signed = { type: 'cdrexport', id: '2', attributes: { status: 'completed' } } as const

test('every exception for a command of the guides still applies to one', () => {
  const patterns = [...otherStatuses, ...orders].map(([pattern]) => pattern)
  assert.deepEqual(unusedPatterns(patterns, blocks.flat()), [])
})

test('every request of the guides works on the demo data as written', { timeout: 1_800_000 }, async (t) => {
  const folder = await newDemoFolder()
  after(() => removeFolder(folder))
  const service = await startService(folder)
  t.after(() => service.stop())
  const { shell, signature } = await prepare(service)
  const failures: string[] = []
  let requests = 0
  for (const command of blocks.flat()) {
    await whenPossible(service, command)
    const name = /^(?:export )?([A-Z_]+)=/.exec(command.text)?.[1]
    const text = withOrder(command.text).replaceAll('http://127.0.0.1:8911', service.base_url)
    const kept = path.join(folder, 'kept')
    const outcome = await runScript(shell, name === undefined ? text : `${text}\nprintf %s "$${name}" > ${kept}`)
    if (name !== undefined) shell.env[name] = await readFile(kept, 'utf8')
    failures.push(...failuresOf(command, outcome, otherStatuses))
    if (command.text.includes('openssl dgst')) assert.equal(`v1,${outcome.stdout.trim()}`, signature)
    if (command.text.includes('curl ')) requests += 1
  }
  t.diagnostic(`${requests} commands with requests`)
  assert.deepEqual(failures, [])
  assert.ok(requests > 40)
})

const withOrder = (text: string): string =>
  text.replaceAll('$ID', orders.find(([pattern]) => pattern.test(text))?.[1] ?? '$ID')

/** The files and variables that the pages tell the reader to have. */
async function prepare({ folder, account }: Service): Promise<{ shell: Shell; signature: string }> {
  const { body: exports } = await account.listCdrExports({ query: { status: 'completed' } })
  const { download_url, sha256 } = exports.data[0]?.attributes ?? assert.fail('the demo has a completed export')
  const secret = `whsec_${btoa('a secret of this test, and no other')}`
  const { headers, body } = await signWebhook({ type: 'cdrexport.completed', data: signed }, secret)
  const addresses = await readFile(path.join(root, 'docs/guide/e911-addresses.md'), 'utf8')
  const files = {
    'addresses.csv': /^```csv\n([\s\S]*?)^```/m.exec(addresses)?.[1] ?? assert.fail('the page has a file'),
    'bill.pdf': '%PDF-1.7\n',
    'body.json': body,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const env = {
    DOWNLOAD_URL: download_url ?? '',
    SHA256: sha256 ?? '',
    SECRET: secret,
    WEBHOOK_ID: headers['webhook-id'] ?? '',
    WEBHOOK_TIMESTAMP: headers['webhook-timestamp'] ?? '',
  }
  return { shell: { folder, env }, signature: headers['webhook-signature'] ?? '' }
}

/** Waits for what the reader has to wait for. */
async function whenPossible({ account }: Service, { text }: Command): Promise<void> {
  const validation_id = /\/v2\/e911s\/validations\/(\d+)\/file/.exec(text)?.[1]
  if (validation_id === undefined) return
  await eventually(async () => {
    const { body } = await account.getE911Validation({ params: { validation_id } })
    return body.data.attributes.status !== 'processing'
  })
}
