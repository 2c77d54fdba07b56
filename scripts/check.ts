import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { referencePages } from './cli-reference.ts'
import { generatedFiles, type GeneratedFile } from './generated.ts'

/**
 * `npm run check`: types, lint, format, dead code, and generated files. `--write` regenerates the files.
 * The import rule and the words of STYLE.md are tests (server/test), which the full suite runs too.
 */

const root = fileURLToPath(new URL('..', import.meta.url))

const steps: [string, string[]][] = [
  ['types', ['tsc', '--noEmit', '-p', '.']],
  ['types of the portal', ['tsc', '--noEmit', '-p', 'portal']],
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
// lets the generator find the formatter, as in an npm script
process.env['PATH'] = `${root}node_modules/.bin:${process.env['PATH']}`
for (const file of generatedFiles) {
  const began = performance.now()
  report(file.path, isCurrent(file), began)
}
const reference_began = performance.now()
const pages = await referencePages()
mkdirSync(`${root}docs/reference/cli`, { recursive: true })
const obsolete = obsoletePages()
report('docs/reference/cli', pages.filter((page) => !isCurrent(page)).length + obsolete.length === 0, reference_began)
const began = performance.now()
report('lint of openapi.json', await openapiIsValid(), began)
if (failed > 0) {
  console.error(`${failed} checks failed.`)
  process.exit(1)
}

function report(name: string, ok: boolean, began: number): void {
  if (!ok) failed++
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}

/** Whether the committed file equals the generated one. */
function isCurrent({ path, text }: GeneratedFile): boolean {
  const generated = text()
  if (process.argv.includes('--write')) writeFileSync(root + path, generated)
  if (existsSync(root + path) && readFileSync(root + path, 'utf8') === generated) return true
  console.error(`${path} differs from the code. Run \`npm run check -- --write\` and review the difference.`)
  return false
}

/** Pages of commands that no longer exist; `--write` removes them. */
function obsoletePages(): string[] {
  const folder = 'docs/reference/cli/'
  const found = readdirSync(root + folder).filter((name) => !pages.some(({ path }) => path === folder + name))
  if (process.argv.includes('--write')) for (const name of found.splice(0)) rmSync(root + folder + name)
  for (const name of found) console.error(`${folder}${name} is obsolete. Run \`npm run check -- --write\`.`)
  return found
}

/** Whether the linter finds no error. */
async function openapiIsValid(): Promise<boolean> {
  const path = `${root}openapi.json`
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const config = await createConfig({
    extends: ['spec', 'recommended'],
    rules: { 'operation-4xx-response': 'off', 'no-server-example.com': 'off' },
  })
  const problems = (await lintFromString({ source: readFileSync(path, 'utf8'), absoluteRef: path, config })).filter(
    (p) => p.severity === 'error',
  )
  for (const p of problems) console.error(`openapi.json ${p.location[0]?.pointer ?? ''}: ${p.message}`)
  return problems.length === 0
}
