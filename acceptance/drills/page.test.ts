import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { drills } from './index.ts'
import { pageWith } from './page.ts'
import { storedResults } from './results.ts'

const page = readFileSync(new URL('../../docs/operate/scaling.md', import.meta.url), 'utf8')

test('the tables of the page on scaling match the recorded results', () => {
  assert.equal(page, pageWith(page, storedResults()), '`npm run check -- --write` makes them again')
})

test('every recorded result belongs to a drill', () => {
  const names = drills.map(({ name }) => name)
  for (const { drill } of storedResults()) assert.ok(names.includes(drill), drill)
})
