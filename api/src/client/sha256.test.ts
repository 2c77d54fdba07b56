import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Sha256 } from './sha256.ts'

const bytes = Uint8Array.from({ length: 4000 }, (_, i) => (i * 7919) % 251)

test('the digest matches Node’s for every length around a block, in chunks of any size', () => {
  for (const length of [...Array.from({ length: 200 }, (_, i) => i), 4000]) {
    const text = bytes.subarray(0, length)
    const expected = createHash('sha256').update(text).digest('hex')
    assert.equal(new Sha256().update(text).digest('hex'), expected, String(length))
    for (const size of [1, 3, 63, 64, 65, 130]) {
      const pieces = new Sha256()
      for (let at = 0; at < length; at += size) pieces.update(text.subarray(at, Math.min(length, at + size)))
      assert.equal(pieces.digest('hex'), expected, `${length} in pieces of ${size}`)
    }
  }
})
