import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { filled, madeFiles, readPage } from './pages.ts'
import { keptResults } from './results.ts'

test('pages and plots are what the kept results make', () => {
  const made = madeFiles(keptResults(), readPage)
  for (const [file, text] of made)
    assert.equal(readPage(file), text, `${file}: \`npm run bench -- pages\` makes it again`)
  const plots = globSync('docs/operate/performance/*', { cwd: path.resolve(import.meta.dirname, '../..') })
  assert.deepEqual(
    plots.filter((file) => !made.has(file)),
    [],
    'no plot is left of a result that is gone',
  )
})

test('what stands between the markers is made again, and nothing else is touched', () => {
  const page = 'Before.\n<!-- bench e911 -->\nold\n<!-- /bench -->\nAfter.\n'
  assert.equal(
    filled(page, []),
    'Before.\n<!-- bench e911 -->\n\nNot measured yet: `npm run bench -- e911 --write`.\n\n<!-- /bench -->\nAfter.\n',
  )
})

test('a marker that names no section of its result is refused', () => {
  const [result] = keptResults()
  assert.throws(() => filled(`<!-- bench ${result?.bench}/none -->\n<!-- /bench -->`, result ? [result] : []), /none/)
})
