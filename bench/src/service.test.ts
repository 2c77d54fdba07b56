import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { end, orStop } from './service.ts'

const child = (script: string) => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
const runs = 'setInterval(() => undefined, 1000); console.log("runs")'

test('a service that does not become ready is stopped before the bench fails', async () => {
  const service = child(runs)
  await once(service.stdout, 'data')
  const started = orStop(
    () => end(service),
    () => Promise.reject(new Error('the service was not ready within two minutes')),
  )
  await assert.rejects(started, /not ready within two minutes/)
  assert.equal(service.signalCode, 'SIGTERM')
})

test('one that does not stop by itself is killed, and one that has exited is not waited for', async () => {
  const service = child(`process.on('SIGTERM', () => undefined); ${runs}`)
  await once(service.stdout, 'data')
  await end(service, 1)
  assert.equal(service.signalCode, 'SIGKILL')
  await end(service)
})
