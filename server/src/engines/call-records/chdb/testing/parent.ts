/** The parent process that engine.test.ts kills: starts an engine over the folder in its argument, sends its process id, and waits. */

import { startEngine } from '../supervisor.ts'

const engine = await startEngine({ folder: process.argv[2] ?? '' })
process.send?.({ pid: engine.pid() })
