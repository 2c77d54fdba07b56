import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { Drill } from './drill.ts'

/** The long form exceeds what S3 accepts in one request (5 GiB). */
const sizes = { long: 5 * 1024 ** 3 + 1, short: 64 * 1024 ** 2 }

const program = fileURLToPath(new URL('../../server/src/platform/files/testing/large-file.ts', import.meta.url))

const printed = z.strictObject({
  bytes: z.int(),
  parts: z.int(),
  store_s: z.number(),
  read_s: z.number(),
  memory_mib: z.int(),
})

export const files: Drill = {
  name: 'files',
  summary: 'stores a file of 5 GiB in S3 and reads it back',
  programs: {
    memcached: 'memcached',
    'swift-account-server': 'swift-account',
    'swift-container-server': 'swift-container',
    'swift-object-server': 'swift-object',
    'swift-proxy-server': 'swift-proxy',
  },
  async run({ short }) {
    const size = sizes[short ? 'short' : 'long']
    const tried = `a file of ${(size / 1024 ** 2).toFixed(0)} MiB stored and read back, whole and in part`
    const common = { component: 'Object storage', version: `OpenStack Swift ${swiftVersion()}`, tried }
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [program, String(size)])
      const { parts, store_s, read_s, memory_mib } = printed.parse(JSON.parse(stdout))
      return [
        {
          ...common,
          result: 'Every byte was the same.',
          ok: parts > 1,
          figures: [
            { name: 'Parts', value: String(parts) },
            { name: 'Receiving and uploading', value: `${store_s.toFixed(1)} s` },
            { name: 'Reading', value: `${read_s.toFixed(1)} s` },
            { name: 'Memory of the process, at most', value: `${memory_mib} MiB` },
          ],
        },
      ]
    } catch (error) {
      return [{ ...common, result: String(error), ok: false, figures: [] }]
    }
  },
}

/** "2.30.1" */
const swiftVersion = () =>
  execFileSync('/usr/bin/python3', ['-c', 'import swift; print(swift.__version__)'], { encoding: 'utf8' }).trim()
