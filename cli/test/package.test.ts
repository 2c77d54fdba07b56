import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }

/** The package as published: one file that needs only Node. */

let folder: string
let tarball: string
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-package-'))
  npm(path.resolve(import.meta.dirname, '..'), 'pack', '--silent', '--pack-destination', folder)
  tarball = path.join(folder, `demarc-${manifest.version}.tgz`)
})
after(() => rmSync(folder, { recursive: true }))

/** npm without a network and without the variables of the npm that runs the tests. */
function npm(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: os.homedir(), npm_config_offline: 'true' }
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

test('npx runs the packed command line without a network', () => {
  assert.equal(npm(folder, 'exec', '--yes', '--package', tarball, '--', 'demarc', '--version'), `${manifest.version}\n`)
})

test('the published package has no dependencies or install scripts and sends nothing', () => {
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  const published: Record<string, unknown> = JSON.parse(readFileSync(path.join(folder, 'package/package.json'), 'utf8'))
  assert.equal(published['dependencies'], undefined)
  assert.equal(published['optionalDependencies'], undefined)
  assert.deepEqual(Object.keys(Object(published['scripts'])), ['prepack'])
  assert.deepEqual(readdirSync(path.join(folder, 'package')).toSorted(), ['README.md', 'dist', 'package.json'])
  const bundle = readFileSync(path.join(folder, 'package/dist/demarc.js'), 'utf8')
  const hosts = new Set([...bundle.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host))
  const known =
    /^(127\.0\.0\.1|localhost|.*\bexample(\.com)?|json-schema\.org|spec\.openapis\.org|.*\.w3\.org|github\.com)$/
  assert.deepEqual(
    [...hosts].filter((host) => !known.test(host ?? '')),
    [],
  )
})
