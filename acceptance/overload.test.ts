import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { figuresOf, violationsOf } from './overload/findings.ts'
import { overload } from './overload/overload.ts'
import { copyDemoData, newFolder, startService } from './support/service.ts'

test(
  'at three times the sustained load, every request is accepted or refused, and the service then recovers',
  {
    skip: existsSync('/proc/self/stat') ? false : 'processes are found by /proc',
  },
  async (t) => {
    const folder = await newFolder()
    await copyDemoData(folder)
    const service = await startService(folder, { DEMARC_LOG_LEVEL: 'error' })
    after(() => service.stop())
    const found = await overload(service, 8, 3)
    for (const { name, value } of figuresOf(found)) t.diagnostic(`${name}: ${value}`)
    assert.deepEqual(violationsOf(found), [])
  },
)
