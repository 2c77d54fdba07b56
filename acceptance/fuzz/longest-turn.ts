import { reportWhenAsked } from '../support/probe.ts'

/**
 * Loaded into the service with `--import`: reports the processor time of the longest turn of its event loop since the last
 * report, in milliseconds. On a busy machine, the time on the clock would include the work of other processes.
 */
const tick_ms = 1

let used = process.threadCpuUsage()
let longest_ms = 0

// at most one turn and the ticks' interval lie between two ticks
setInterval(() => {
  const { user, system } = process.threadCpuUsage(used)
  used = process.threadCpuUsage()
  longest_ms = Math.max(longest_ms, (user + system) / 1000)
}, tick_ms).unref()

reportWhenAsked(() => {
  const reported_ms = longest_ms
  longest_ms = 0
  return Math.round(reported_ms)
})
