import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { modes, pageWithModes } from './call-record-modes.ts'
import { drills } from './index.ts'
import { pageWith } from './page.ts'
import { storedResults } from './results.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/operate/${name}.md`, import.meta.url), 'utf8')

test('the tables of the page on scaling match the recorded results', () => {
  const page = read('scaling')
  assert.equal(page, pageWith(page, storedResults()), '`npm run check -- --write` makes them again')
})

test('the table of modes matches the recorded results, and names files that exist', () => {
  const page = read('call-records')
  assert.equal(page, pageWithModes(page, storedResults()), '`npm run check -- --write` makes it again')
  const root = path.join(import.meta.dirname, '../..')
  for (const file of modes.flatMap(({ by }) => by)) assert.ok(globSync(file, { cwd: root }).length > 0, file)
})

test('every recorded result belongs to a drill', () => {
  const names = drills.map(({ name }) => name)
  for (const { drill } of storedResults()) assert.ok(names.includes(drill), drill)
})
