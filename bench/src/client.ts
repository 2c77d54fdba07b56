import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { median, table } from './report.ts'

const root = path.resolve(import.meta.dirname, '../..')
const rounds = 15

const call = `console.log(await client.listNumbers(), await client.getNumber({ params: { number: '1' } }), await client.createCnam({ body: { value: 'x' } }))`

/** Programs whose bundles are measured. */
const programs = {
  'three operations': `import { createDemarcClient } from '@demarc/client'
    const client = createDemarcClient({ base_url: '/' }); ${call}`,
  'three operations, with their shapes': `import { createClient, cnams, numbers } from '@demarc/client'
    const { listNumbers, getNumber } = numbers
    const client = createClient({ listNumbers, getNumber, createCnam: cnams.createCnam }, { base_url: '/' }); ${call}`,
  'the whole package': `export * from '@demarc/client'`,
}

/** How large bundles of the client are, and how long the package takes to be imported, as it is published. */
export async function benchClient(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-bench-'))
  try {
    const modules = path.join(folder, 'node_modules')
    const installed = path.join(modules, '@demarc/client')
    execFileSync(process.execPath, [path.join(root, 'scripts/client-package.ts'), installed])
    mkdirSync(modules, { recursive: true })
    cpSync(path.join(root, 'node_modules/zod'), path.join(modules, 'zod'), { recursive: true })
    table('Bundles for browsers, minified', ['Program', 'kB', 'kB, gzip'], await sizes(folder))
    table('Import, CPU time over a bare start', ['Import', 'ms'], importTimes(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function sizes(folder: string): Promise<string[][]> {
  const rows: string[][] = []
  for (const [name, contents] of Object.entries(programs)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
    })
    const text = outputFiles[0]?.contents ?? new Uint8Array()
    rows.push([name, ...[text, gzipSync(text)].map(({ length }) => (length / 1000).toFixed(1))])
  }
  return rows
}

/** Medians of processes that take turns, so that a busy machine slows all of them alike. */
function importTimes(folder: string): string[][] {
  const entries = ['@demarc/client', '@demarc/client/light', '@demarc/client/node']
  const times = new Map<string, number[]>(['', ...entries].map((entry) => [entry, []]))
  for (let round = 0; round < rounds; round++)
    for (const [entry, list] of times) {
      const code = `${entry === '' ? '' : `await import('${entry}');`} const { userCPUTime, systemCPUTime } = process.resourceUsage(); console.log(userCPUTime + systemCPUTime)`
      const args = ['--input-type=module', '-e', code]
      list.push(Number(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })) / 1000)
    }
  const bare = median(times.get('') ?? [])
  return entries.map((entry) => [`\`${entry}\``, (median(times.get(entry) ?? []) - bare).toFixed(0)])
}
