import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createVault, deriveKey, maskPin, newAccessKey, newSecret, newWebhookSecret, SealError } from './secrets.ts'
import type { SealErrorReason } from './secrets.ts'
import { loadOrCreateLocalSecrets } from './local-secrets.ts'

const pepper = 'a pepper of more than sixteen bytes'
const first = { id: 'k1', key: 'the first seal key material, long enough' }
const second = { id: 'k2', key: 'the second seal key material, long enough' }
const vault = createVault({ pepper, seal_keys: [first] })

function refusesToOpen(opening: () => string, reason: SealErrorReason) {
  assert.throws(opening, (error) => error instanceof SealError && error.reason === reason)
}

describe('secret hashes', () => {
  test('a secret matches its own hash and no other', () => {
    const hash = vault.hashSecret('correct')
    assert.equal(hash.length, 36)
    assert.equal(vault.verifySecret('correct', hash), true)
    assert.equal(vault.verifySecret('wrong', hash), false)
    assert.equal(vault.verifySecret('', hash), false)
  })

  test('an unknown key, or an invalid hash, matches nothing', () => {
    assert.equal(vault.verifySecret('anything', null), false)
    assert.equal(vault.verifySecret('anything', Buffer.alloc(0)), false)
    assert.equal(vault.verifySecret('anything', Buffer.alloc(35)), false)
    assert.equal(vault.verifySecret('anything', Buffer.alloc(36)), false, 'of a pepper that is not configured')
  })

  test('another pepper gives other hashes, the same pepper the same', () => {
    const other = createVault({ pepper: `${pepper}!`, seal_keys: [first] })
    assert.notDeepEqual(other.hashSecret('s'), vault.hashSecret('s'))
    assert.deepEqual(createVault({ pepper, seal_keys: [second] }).hashSecret('s'), vault.hashSecret('s'))
  })

  test('hashes of an accepted pepper match and are outdated, and new ones use the current pepper', () => {
    const rotated = createVault({ pepper: `${pepper}!`, accepted_pepper: pepper, seal_keys: [first] })
    const old = vault.hashSecret('s')
    assert.equal(rotated.verifySecret('s', old), true)
    assert.equal(rotated.verifySecret('t', old), false)
    assert.equal(rotated.isOutdated(old), true)
    const [current, other] = rotated.hashesOf('s')
    assert.deepEqual([current, other], [rotated.hashSecret('s'), old])
    assert.equal(vault.verifySecret('s', current ?? null), false)
    assert.equal(rotated.isOutdated(rotated.hashSecret('s')), false)
  })
})

describe('sealed values', () => {
  test('open only for their own context', () => {
    const sealed = vault.seal('4711', 'portorder:7:12:pin')
    assert.match(sealed, /^v1\.k1\.[A-Za-z0-9_-]+$/)
    assert.equal(vault.open(sealed, 'portorder:7:12:pin'), '4711')
    refusesToOpen(() => vault.open(sealed, 'portorder:7:13:pin'), 'not_authentic')
    refusesToOpen(() => vault.open(sealed, ''), 'not_authentic')
  })

  test('differ every time, and can contain any text', () => {
    assert.notEqual(vault.seal('same', 'c'), vault.seal('same', 'c'))
    for (const text of ['', 'x', 'Zoë · 雪 · 🔑', 'y'.repeat(10_000)])
      assert.equal(vault.open(vault.seal(text, 'c'), 'c'), text)
  })

  test('do not open if a single bit changed', () => {
    const sealed = vault.seal('4711', 'c')
    const payload = Buffer.from(sealed.slice('v1.k1.'.length), 'base64url')
    for (let bit = 0; bit < payload.length * 8; bit += 1) {
      const altered = Buffer.from(payload)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      refusesToOpen(() => vault.open(`v1.k1.${altered.toString('base64url')}`, 'c'), 'not_authentic')
    }
  })

  test('that are not sealed values are malformed', () => {
    for (const text of ['', '4711', 'v1.k1.', 'v2.k1.AAAA', 'v1.K1.AAAA', 'v1.k1.AAAA', 'v1.k1.AA AA', 'v1.k1.a.b']) {
      refusesToOpen(() => vault.open(text, 'c'), 'malformed')
    }
  })

  test('survive a rotation: the first key seals, all open, and a dropped key is named', () => {
    const old_value = vault.seal('old', 'c')
    const rotated = createVault({ pepper, seal_keys: [second, first] })
    assert.match(rotated.seal('new', 'c'), /^v1\.k2\./)
    assert.equal(rotated.open(old_value, 'c'), 'old')
    refusesToOpen(() => createVault({ pepper, seal_keys: [second] }).open(old_value, 'c'), 'unknown_key')
    refusesToOpen(() => vault.open(rotated.seal('new', 'c'), 'c'), 'unknown_key')
  })

  test('do not open under another key with the same id', () => {
    const impostor = createVault({ pepper, seal_keys: [{ ...second, id: 'k1' }] })
    refusesToOpen(() => impostor.open(vault.seal('x', 'c'), 'c'), 'not_authentic')
  })
})

test('a vault is refused without keys, with weak material, and with invalid ids', () => {
  const refused: Parameters<typeof createVault>[0][] = [
    { pepper, seal_keys: [] },
    { pepper: 'short', seal_keys: [first] },
    { pepper: '', seal_keys: [first] },
    { pepper, seal_keys: [{ id: 'k1', key: 'short' }] },
    { pepper, seal_keys: [first, first] },
    { pepper, seal_keys: [{ ...first, id: 'k.1' }] },
    { pepper, seal_keys: [{ ...first, id: '' }] },
  ]
  for (const options of refused) assert.throws(() => createVault(options), Error)
})

test('the same material under two labels gives two keys', () => {
  assert.notDeepEqual(deriveKey(pepper, 'a'), deriveKey(pepper, 'b'))
  assert.deepEqual(deriveKey(pepper, 'a'), deriveKey(Buffer.from(pepper), 'a'))
})

test('new keys and secrets have their format and do not repeat', () => {
  const secrets = new Set(Array.from({ length: 1000 }, () => newSecret()))
  assert.equal(secrets.size, 1000)
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9]{32}$/)
  assert.equal(new Set([...secrets].join('')).size, 62)
  assert.match(newAccessKey('dk_'), /^dk_[A-Za-z0-9]{16}$/)
  const webhook_secret = newWebhookSecret()
  assert.match(webhook_secret, /^whsec_/)
  assert.equal(Buffer.from(webhook_secret.slice(6), 'base64').length, 32)
})

test('a masked PIN shows its last character at most, and not its length', () => {
  assert.equal(maskPin('1234'), '****4')
  assert.equal(maskPin('1234567890'), '****0')
  for (const short of ['', '1', '123']) assert.equal(maskPin(short), '****')
})

describe('local secrets', async () => {
  const base = await mkdtemp(join(tmpdir(), 'demarc-secrets-'))
  after(() => rm(base, { recursive: true }))

  test('are created once, readable by their owner only, and stay the same', async () => {
    const folder = join(base, 'made', 'here')
    const made = await loadOrCreateLocalSecrets(folder)
    createVault(made)
    assert.deepEqual(await loadOrCreateLocalSecrets(folder), made)
    assert.deepEqual(await readdir(folder), ['secrets.json'])
    const path = join(folder, 'secrets.json')
    await chmod(path, 0o644)
    await loadOrCreateLocalSecrets(folder)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  test('are the same for processes that start concurrently', async () => {
    const folder = join(base, 'race')
    const made = await Promise.all(Array.from({ length: 16 }, () => loadOrCreateLocalSecrets(folder)))
    for (const secrets of made) assert.deepEqual(secrets, made[0])
    assert.deepEqual(await readdir(folder), ['secrets.json'])
  })

  test('that are damaged are refused, never replaced and never quoted', async () => {
    const path = join(base, 'secrets.json')
    for (const content of ['', '{"pepper":"tooshort"', '{"pepper":"verysecretpepper","seal_keys":[]}', 'null']) {
      await writeFile(path, content)
      await assert.rejects(loadOrCreateLocalSecrets(base), (error: Error) => {
        assert.match(error.message, /damaged/)
        assert.doesNotMatch(error.message, /verysecretpepper|tooshort/)
        return true
      })
      assert.equal(await readFile(path, 'utf8'), content)
    }
  })
})
