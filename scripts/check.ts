import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openapi, operations } from '@demarc/client'
import manifest from '../server/package.json' with { type: 'json' }

/**
 * `npm run check`: types, lint, format, dead code, openapi.json against the code. `--write` regenerates openapi.json.
 * The import rule and the words of STYLE.md are tests (server/test), and run with the tests as well as here.
 */

const root = fileURLToPath(new URL('..', import.meta.url))

const steps: [string, string[]][] = [
  ['types', ['tsc', '--noEmit', '-p', '.']],
  ['lint', ['oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['oxfmt', '--check', '.']],
  ['dead code', ['knip']],
  ['import rule', ['node', '--test', '--test-reporter=dot', 'server/test/architecture.test.ts']],
  ['words', ['node', '--test', '--test-reporter=dot', 'server/test/words.test.ts']],
]

let failed = 0

for (const [name, [command = '', ...args]] of steps) {
  const began = performance.now()
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env['PATH']}` },
  })
  report(name, status === 0, began)
}
const began = performance.now()
report('openapi.json', await openapiIsCurrent(), began)
if (failed > 0) {
  console.error(`${failed} of ${steps.length + 1} checks failed.`)
  process.exit(1)
}

function report(name: string, ok: boolean, began: number): void {
  if (!ok) failed++
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}

/** Whether the committed file equals the generated one, and a linter finds no error in it. */
async function openapiIsCurrent(): Promise<boolean> {
  const path = `${root}openapi.json`
  const text = `${JSON.stringify(openapi(operations, { version: manifest.version, server_url: 'http://127.0.0.1:8911' }), null, 2)}\n`
  if (process.argv.includes('--write')) writeFileSync(path, text)
  if (readFileSync(path, 'utf8') !== text) {
    console.error('openapi.json differs from the code. Run `npm run check -- --write` and review the difference.')
    return false
  }
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const config = await createConfig({
    extends: ['spec', 'recommended'],
    rules: { 'operation-4xx-response': 'off', 'no-server-example.com': 'off' },
  })
  const problems = (await lintFromString({ source: text, absoluteRef: path, config })).filter(
    (p) => p.severity === 'error',
  )
  for (const p of problems) console.error(`openapi.json ${p.location[0]?.pointer ?? ''}: ${p.message}`)
  return problems.length === 0
}
