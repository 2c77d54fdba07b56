import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { HashedStream } from './hashed-stream.ts'

test('a body that ends early fails its reader, even one that starts later, and raises no uncaught error', async () => {
  for (const error of [new Error('aborted'), undefined]) {
    const source = new Readable({ read: () => undefined })
    const hashed = new HashedStream(source)
    source.push('begun')
    source.destroy(error)
    // its key is being claimed; without a listener the error would end the process
    await turn()
    await assert.rejects(hashed.drain(), error ?? /client disconnected/)
  }
})
