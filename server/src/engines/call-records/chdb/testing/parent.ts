/** A service as engine.test.ts kills it: starts an engine over the folder in its argument, says which process that is, and waits. */

import { startEngine } from '../supervisor.ts'

const engine = await startEngine({ folder: process.argv[2] ?? '' })
process.send?.({ pid: engine.pid() })
