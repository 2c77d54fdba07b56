import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { violationsOf } from './overload/findings.ts'
import { overload } from './overload/overload.ts'
import { newFolder, startService } from './support/service.ts'

test(
  'three times of what is sustained is accepted soon or refused soon, and then all is as before',
  {
    skip: existsSync('/proc/self/stat') ? false : 'processes are found by /proc',
  },
  async () => {
    const service = await startService(await newFolder(), { DEMARC_LOG_LEVEL: 'error' })
    after(() => service.stop())
    const found = await overload(service, 8, 3)
    assert.deepEqual(violationsOf(found), [])
  },
)
