import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { json, stub, type Stub } from './support/process.ts'
import { runLine, type RunSettings } from './support/run.ts'

/** Which key a command uses, and where it is stored. */

let home: string
let service: Stub
let signed_in: string[]
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'demarc-home-'))
  signed_in = []
  const body = { data: { kind: 'account', account_id: '1001', access_key: 'ak', scopes: ['read'] } }
  service = await stub((request, response) => {
    const { authorization } = request.headers
    if (authorization !== undefined) signed_in.push(atob(authorization.replace('Basic ', '')))
    json(body)(request, response)
  })
})
afterEach(async () => {
  await service.close()
  await rm(home, { recursive: true })
})

const run = (line: string, settings: RunSettings = {}) => runLine(line, { home, ...settings })

const signIn = (profile: string, secret: string, settings: RunSettings = {}) =>
  run(`login --profile ${profile} --url ${service.url} --access-key ak${profile} --secret-stdin`, {
    stdin: `${secret}\n`,
    ...settings,
  })

const file = () => path.join(home, '.config/demarc/profiles.json')

/** The source of the key, as shown by `whoami`. */
async function usedBy(line: string, env: Record<string, string> = {}) {
  const { stdout, stderr } = await run(`${line} --json`, { env })
  if (stdout === '') return stderr
  const { profile, key_source } = JSON.parse(stdout)
  return [profile, key_source, signed_in.at(-1)]
}

test('a key is saved in a file that only its owner can read, and the last sign-in becomes the current profile', async () => {
  await signIn('day', 'one')
  await signIn('night', 'two')
  assert.equal((await stat(file())).mode & 0o777, 0o600)
  assert.deepEqual(await usedBy('whoami'), ['night', 'file', 'aknight:two'])
  await run('profile use day')
  assert.deepEqual(await usedBy('whoami'), ['day', 'file', 'akday:one'])
})

test('the command line overrides the environment, which overrides the current profile', async () => {
  await signIn('day', 'one')
  const env = { DEMARC_URL: service.url, DEMARC_ACCESS_KEY: 'akenv', DEMARC_SECRET_KEY: 'three' }
  assert.deepEqual(await usedBy('whoami', env), ['environment', 'environment', 'akenv:three'])
  assert.deepEqual(await usedBy('whoami --profile day', env), ['day', 'file', 'akday:one'])
})

test('a key is never sent to another key’s service', async () => {
  await signIn('day', 'one')
  signed_in = []
  for (const env of [{ DEMARC_ACCESS_KEY: 'akenv', DEMARC_SECRET_KEY: 'three' }, { DEMARC_SECRET_KEY: 'three' }]) {
    const { status, stderr } = await run('whoami', { env })
    assert.equal(status, 2)
    assert.match(stderr, /^error\[settings\] Some settings are missing from the environment: DEMARC_URL/)
  }
  // a URL alone is for commands without a key: the profile's key is not sent there
  await run('whoami', { env: { DEMARC_URL: service.url } })
  assert.deepEqual(
    signed_in.filter((key) => key.includes('one')),
    [],
  )
})

test('a file that others can read is refused with the remedy', async () => {
  await signIn('day', 'one')
  await chmod(file(), 0o644)
  const { status, stderr } = await run('whoami')
  assert.equal(status, 2)
  assert.match(stderr, /contains secrets and can be read by other users\.\n {2}remedy: chmod 600 /)
})

test('a key that does not work is not saved', async () => {
  const refusing = await stub(json({ errors: [{ status: 401, title: 'Unauthorized', detail: 'Unknown key.' }] }, 401))
  const { status } = await run(`login --url ${refusing.url} --access-key ak --secret-stdin`, { stdin: 'secret' })
  await refusing.close()
  assert.equal(status, 2)
  await assert.rejects(stat(file()), { code: 'ENOENT' })
})

test('signing out removes the key and selects no other profile', async () => {
  await signIn('day', 'one')
  await signIn('night', 'two')
  const { stdout } = await run('logout')
  assert.match(stdout, /^Signed out of profile night\. No profile is current\. Other profiles: day\.$/m)
  assert.doesNotMatch(await readFile(file(), 'utf8'), /two/)
  assert.deepEqual(await usedBy('whoami --profile day'), ['day', 'file', 'akday:one'])
})

/** A Secret Service in a folder: secret-tool as its manual describes it. */
const secretTool = `#!/bin/sh
action=$1; shift; [ "$action" = store ] && shift
name=$(echo "$@" | tr ' ' _)
case $action in
  store) cat > "$KEYRING/$name" ;;
  lookup) cat "$KEYRING/$name" ;;
  clear) rm "$KEYRING/$name" ;;
esac
`

test('with a desktop keyring the secret is only in the keyring', { skip: process.platform !== 'linux' }, async () => {
  const bin = path.join(home, 'bin')
  await mkdir(bin)
  await writeFile(path.join(bin, 'secret-tool'), secretTool, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env['PATH']}`, KEYRING: bin, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/none' }
  await signIn('day', 'one', { env })
  assert.doesNotMatch(await readFile(file(), 'utf8'), /one/)
  assert.deepEqual(await usedBy('whoami', env), ['day', 'keyring', 'akday:one'])
  await run('logout', { env })
  await signIn('day', 'two', { env: { ...env, DEMARC_KEYRING: 'off' } })
  assert.deepEqual(await usedBy('whoami', env), ['day', 'file', 'akday:two'])
})
