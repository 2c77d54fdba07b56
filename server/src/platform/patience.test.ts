import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { within } from './patience.ts'

test('a response in time is the result, and its error is thrown', async () => {
  assert.equal(await within(Promise.resolve('done'), 50), 'done')
  await assert.rejects(within(Promise.reject(new Error('refused')), 50), /refused/)
})

test('no response is silence', async () => {
  assert.equal(await within(new Promise(() => undefined), 40), 'silent')
})

test('a response that arrived while this process was busy is not late', async (t) => {
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = net.connect((server.address() as net.AddressInfo).port)
  t.after(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  socket.write('x')
  const response = once(socket, 'data')
  setTimeout(() => {
    for (const began = performance.now(); performance.now() - began < 300;);
  }, 0)
  assert.notEqual(await within(response, 100), 'silent')
})
