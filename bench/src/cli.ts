import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { comparison, inTurns, table } from './report.ts'
import type { Form } from './results.ts'
import { cpuOfEnded } from './service.ts'

const rounds = { short: 5, long: 20 } as const
const root = path.resolve(import.meta.dirname, '../..')
const bundle = path.join(root, 'cli/dist/demarc.js')

/** What it costs to start the command line, beside Node that does nothing: processor time and elapsed time. */
export async function benchCli(form: Form): Promise<void> {
  const built = spawnSync(process.execPath, ['cli/bundle.ts'], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) throw new Error('The command line could not be bundled.')
  const sides = [
    side('bare Node', ['-e', '0']),
    side('demarc --help', [bundle, '--help']),
    side('demarc numbers list --help', [bundle, 'numbers', 'list', '--help']),
    side('demarc complete', [bundle, 'complete', '--', 'num']),
  ]
  comparison({
    ...(await inTurns(sides, rounds[form])),
    name: 'cli-start',
    title: 'Starting the bundled command line',
    measures: [
      { name: 'CPU', unit: 'ms', digits: 0, ratio: false },
      { name: 'elapsed', unit: 'ms', digits: 0, ratio: false },
    ],
    skipped: [],
  })
  const bytes = readFileSync(bundle)
  const kb = (bytes: number) => (bytes / 1000).toFixed(0)
  table('The bundle', ['kB', 'kB with gzip'], [[kb(bytes.length), kb(gzipSync(bytes).length)]])
}

/** The kernel counts in hundredths of a second, so one start alone could not be told from none. */
const starts = 10

const side = (name: string, args: readonly string[]) => ({
  name,
  run: async () => {
    const before_us = cpuOfEnded([process.pid])
    const began_ms = performance.now()
    for (let i = 0; i < starts; i++) {
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', env: { PATH: process.env['PATH'] } })
      if (status !== 0) throw new Error(`${name} ended with ${status}`)
    }
    const elapsed_ms = performance.now() - began_ms
    return [(cpuOfEnded([process.pid]) - before_us) / 1000 / starts, elapsed_ms / starts]
  },
})
