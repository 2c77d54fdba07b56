import assert from 'node:assert/strict'
import { after, describe, test, type TestContext } from 'node:test'
import { createDemarcClient, type people, type ResponseBody } from '@demarc/client'
import { openBrowser, skipped } from '../../acceptance/support/chromium.ts'
import { ingestCall } from '../src/engines/call-records/testing/records.ts'
import { databaseUrl, testDatabase } from './support/database.ts'
import { completedExport, download, march } from './support/exports.ts'
import { startReceiver, verified } from './support/receiver.ts'
import { childrenOf, hasEnded, isThere, newFolder, removeFolder, spawnService } from './support/service.ts'
import { eventually } from './support/eventually.ts'

const secrets = {
  DEMARC_PEPPER: 'a pepper for tests, of no value outside them',
  DEMARC_SEAL_KEYS: 'k1:a-sealing-key-for-tests-of-no-value',
}
/** On the embedded engine, which needs no installation; the database is the tests' own server. */
const settings = { ...secrets, DEMARC_EMBEDDED: 'allow', DEMARC_OUTBOUND_ALLOW: '127.0.0.1/32' }

const folders: string[] = []
after(async () => {
  for (const folder of folders) await removeFolder(folder)
})
async function folderOf(): Promise<string> {
  const folder = await newFolder()
  folders.push(folder)
  return folder
}

/** Starts a process in production mode and waits for this text in its output; stopped with the test. */
async function run(t: TestContext, folder: string, env: Record<string, string>, text: string) {
  const { child, output } = spawnService(folder, { args: [], env })
  const stop = async () => {
    child.kill('SIGTERM')
    await eventually(() => hasEnded(child), 12_000)
  }
  t.after(stop)
  await eventually(() => hasEnded(child) || output().includes(text))
  assert.ok(output().includes(text), output())
  return { child, output, stop, url: /"listening":"(http[^"]+)"/.exec(output())?.[1] ?? '' }
}

/** The output of a start that is refused. */
async function refused(folder: string, env: Record<string, string>): Promise<string> {
  const { child, output } = spawnService(folder, { args: [], env })
  await eventually(() => hasEnded(child))
  assert.equal(child.exitCode, 1, output())
  return output()
}

/** The output of a start that prints something and exits. */
async function printed(folder: string, env: Record<string, string>, args: string[]): Promise<string> {
  const { child, output } = spawnService(folder, { args, env: { ...env, DEMARC_LOG_LEVEL: 'silent' } })
  await eventually(() => hasEnded(child))
  assert.equal(child.exitCode, 0, output())
  return output()
}

async function operatorKey(folder: string, env: Record<string, string>) {
  const line = await printed(folder, env, ['--operator-key', 'alice'])
  return JSON.parse(line) as { access_key: string; secret_key: string } // one line of JSON and nothing else
}

const alice = { email: 'alice@operator.example', password: 'the first of the operator' }

/** Accepts the link that invites the operator's first person: on its page where there is a browser, otherwise by the API. */
async function joins(url: string, token: string) {
  if (skipped !== false) {
    const client = createDemarcClient({ retry: false, base_url: url })
    const { data } = (await client.acceptInvitation({ body: { token, name: 'Alice', password: alice.password } })).body
    assert.ok(data.status === 'signed_in')
    return data.session
  }
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ baseURL: url })
    await page.goto(`/invitation#${token}`)
    await page.getByText(`invites you, ${alice.email}`).waitFor()
    await page.getByLabel('Your name').fill('Alice')
    await page.getByLabel('Choose a password').fill(alice.password)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('button', { name: 'Alice' }).waitFor()
    const response = await page.request.get('/v2/session')
    // as the API describes it
    const { data } = (await response.json()) as ResponseBody<typeof people.getSession>
    return data ?? assert.fail('Alice is signed in')
  } finally {
    await browser.close()
  }
}

async function firstPersonSignsIn(url: string, link: string) {
  const client = createDemarcClient({ retry: false, base_url: url })
  const { memberships, person } = await joins(url, new URL(link).hash.slice(1))
  assert.deepEqual(
    memberships.map(({ account_id, role }) => [account_id, role]),
    [[null, 'operator']],
  )
  assert.equal((await client.signIn({ body: alice })).body.data.status, 'signed_in')
  assert.deepEqual((await client.getSignInOptions()).body.data, { mode: 'production', demo_people: [], openid: null })
  await assert.rejects(client.signInAsDemoPerson({ body: { person_id: person.id } }), /404/)
}

describe('production', () => {
  test('on the embedded engines, from the first operator key and person to the file of an export', async (t) => {
    const folder = await folderOf()
    const credentials = await operatorKey(folder, settings)
    const public_url = { DEMARC_PUBLIC_URL: 'https://demarc.example' }
    const link = await printed(folder, { ...settings, ...public_url }, ['--operator-user', alice.email])
    assert.match(link, /^https:\/\/demarc\.example\/invitation#[A-Za-z0-9]{32}\n$/)
    const { url, child, stop, output } = await run(t, folder, settings, '"msg":"ready"')
    const operator = createDemarcClient({ retry: false, base_url: url, credentials })
    assert.equal((await createDemarcClient({ retry: false, base_url: url }).ready()).body.mode, 'production')
    assert.deepEqual((await operator.listAccounts()).body.data, [], 'no demo data')
    await assert.rejects(operator.getClock(), /404/)
    assert.equal((await fetch(`${url}/metrics`)).status, 401)
    assert.deepEqual((await operator.whoami()).body.data.scopes, ['read', 'write'])
    await firstPersonSignsIn(url, link)
    const { id } = (await operator.createAccount({ body: { name: 'Harbor Dental' } })).body.data
    const key = (await operator.createKey({ params: { account_id: id }, body: { name: 'main' } })).body.data.attributes
    const holder = { client: createDemarcClient({ retry: false, base_url: url, credentials: key }) }
    await ingestCall(operator, id)
    await download(await completedExport(holder))
    const second = await operatorKey(folder, settings)
    assert.equal(
      (await createDemarcClient({ retry: false, base_url: url, credentials: second }).listAccounts()).body.data.length,
      1,
    )
    const pids = [child.pid ?? 0, ...childrenOf(child.pid).map((p) => p.pid)]
    await stop()
    assert.deepEqual(pids.filter(isThere), [])
    for (const line of output().trim().split('\n'))
      assert.doesNotThrow(() => JSON.parse(line), `every line is JSON: ${line}`)
  })

  test('with API and worker as processes of their own, either of which may be restarted', async (t) => {
    const folder = await folderOf()
    const receiver = await startReceiver()
    const { url: DATABASE_URL } = await testDatabase(t, { migrated: false })
    const env = { ...settings, DATABASE_URL, DEMARC_PUBLIC_URL: 'https://carrier.example' }
    const api = { ...env, DEMARC_ROLE: 'api' }
    const worker = { ...env, DEMARC_ROLE: 'worker' }
    // concurrently: the first one migrates the database and starts the engine
    const [first] = await Promise.all([run(t, folder, api, '"listening"'), run(t, folder, worker, 'worker ready')])
    const listening = (output: string) => /"listening":"(http[^"]+)"/.exec(output)?.[1] ?? assert.fail(output)
    const credentials = await operatorKey(folder, env)
    const clientsOf = (base_url: string, keys: typeof credentials) =>
      createDemarcClient({ retry: false, base_url, credentials: keys })
    const operator = clientsOf(listening(first.output()), credentials)
    const { id } = (await operator.createAccount({ body: { name: 'Harbor Dental' } })).body.data
    const key = (await operator.createKey({ params: { account_id: id }, body: { name: 'main' } })).body.data.attributes
    await ingestCall(operator, id)
    const holder = { client: clientsOf(listening(first.output()), key) }
    const { secret } = (await holder.client.getSigningSecret()).body.data.attributes
    const done = await completedExport(holder, march, { callback_url: receiver.url('/done') })
    const [request] = await receiver.waitFor(1, '/done')
    assert.ok(request)
    assert.deepEqual((verified(request, secret) as { data: unknown }).data, done)
    assert.match(done.attributes.download_url ?? '', /^https:\/\/carrier\.example\/v2\/cdrs\/exports\//)

    // either process may have started the engine; the remaining one takes it over
    await first.stop()
    const again = await run(t, folder, api, '"listening"')
    const later = { client: clientsOf(listening(again.output()), key) }
    assert.equal((await completedExport(later, march)).attributes.num_calls, 1)
  })
})

describe('a start in production is refused with the reason', () => {
  test('without its settings, each of which is named', async () => {
    const message = await refused(await folderOf(), {})
    for (const name of ['DEMARC_PEPPER', 'DEMARC_SEAL_KEYS', 'DATABASE_URL', 'CLICKHOUSE_URL'])
      assert.match(message, new RegExp(`^  - ${name} is required`, 'm'))
  })

  test('for a standalone worker without the public URL', async (t) => {
    const { url: DATABASE_URL } = await testDatabase(t)
    const message = await refused(await folderOf(), { ...settings, DATABASE_URL, DEMARC_ROLE: 'worker' })
    assert.match(message, /^A separate worker requires DEMARC_PUBLIC_URL/m)
    assert.doesNotMatch(message, /^ +at /m)
  })

  test('for a database that does not exist', async (t) => {
    const { url } = await testDatabase(t)
    const message = await refused(await folderOf(), { ...settings, DATABASE_URL: databaseUrl(url, 'no_such') })
    assert.match(
      message,
      /^The database in DATABASE_URL cannot be used\. The database does not exist\. Create it first\./m,
    )
    assert.doesNotMatch(message, /^ +at /m)
  })

  test('on a demo installation, whose keys are printed on the screen', async (t) => {
    const { url: DATABASE_URL, pool } = await testDatabase(t)
    await pool.query(`insert into operator_key (access_key, secret_hash, name, scopes, created_at)
      values ('okDemo', repeat('0', 64), 'demo operator', '{read,write}', now())`)
    assert.match(
      await refused(await folderOf(), { ...settings, DATABASE_URL }),
      /^This database has demo data, and its keys are public/m,
    )
  })
})
