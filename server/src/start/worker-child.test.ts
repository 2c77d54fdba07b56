import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { silentLog } from '../platform/postgres/log.ts'
import { commandOf } from '../../test/support/service.ts'
import { allPids, taskOf } from '../platform/processes.ts'
import { forkWorker } from './worker-child.ts'

const program = pathToFileURL(path.join(import.meta.dirname, 'testing/worker.ts'))
const installation = {
  database_url: '',
  database_direct_url: null,
  warehouse: { url: '' },
  files_dir: '',
  folders: [],
  secrets: { pepper: '', seal_keys: [] },
  public_url: '',
}

/** Only a hang takes this long. The runner's own limit cannot end a blocked event loop. */
const hang_ms = 300_000

function blockUntil(holds: () => boolean): void {
  const began = performance.now()
  while (!holds()) {
    assert.ok(performance.now() - began < hang_ms, `not true after ${hang_ms / 1000} s: ${holds.toString()}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}

test(
  'a worker killed right after loading is replaced, even though nothing can be sent to it',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-worker-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const killed = path.join(folder, 'killed')
    process.env['DEMARC_TEST_WORKER'] = killed
    t.after(() => delete process.env['DEMARC_TEST_WORKER'])
    const warnings: object[] = []
    const worker = forkWorker({ ...silentLog, warn: (fields) => warnings.push(fields) }, program)
    t.after(() => worker.stop())
    worker.open(installation)
    const ready = worker.start('http://127.0.0.1:1')
    // Blocks the event loop until the first worker has exited, so its message is read after its exit.
    const isOurs = (pid: number) => commandOf(pid).includes(program.pathname)
    // the file stays, while a look at all processes can miss one that lives so briefly
    blockUntil(() => existsSync(killed))
    blockUntil(() => !allPids().some((pid) => taskOf(pid) && isOurs(pid)))
    await ready
    // whether its message fails or finds the channel closed is up to the kernel; either way this process goes on
    assert.ok(warnings.some((fields) => 'signal' in fields && fields.signal === 'SIGKILL'))
  },
)
