/** A worker for worker-child.test.ts. The first one kills itself right after loading, and the next one becomes ready. */

import { existsSync, writeFileSync } from 'node:fs'
import { sendToParent, setupFromParent } from '../worker-child.ts'

const killed = process.env['DEMARC_TEST_WORKER'] ?? ''
if (!existsSync(killed)) {
  writeFileSync(killed, '')
  process.send?.('loaded', undefined, undefined, () => process.kill(process.pid, 'SIGKILL'))
} else {
  const setup = await setupFromParent()
  await setup?.public_url
  sendToParent('ready')
  process.once('SIGTERM', () => process.exit())
}
