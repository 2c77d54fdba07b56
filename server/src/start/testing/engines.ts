/**
 * Runs the embedded database and call-record engine of DEMARC_DATA for processes that get their addresses as settings, as they
 * get those of servers. Prints the addresses as one line of JSON. Stops on SIGTERM or with its parent.
 */

import { readConfig } from '../../config.ts'
import { openInstallation } from '../../installation.ts'
import { createLog } from '../../platform/log.ts'
import { stopOnSignals } from '../stop.ts'

const log = createLog('warn', 'engines')
const stopper = stopOnSignals(log, { parent: process.ppid })
const opened = await openInstallation(readConfig(process.env, { demo: true }), log)
stopper.onStop(() => opened.close())
const { database_url, warehouse } = opened.installation
console.log(JSON.stringify({ database_url, ...warehouse }))
