import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inTurns, median } from './report.ts'
import { fillPage, pages, readResults } from './results.ts'

test('the pages show the recorded results, and what is calculated from them', () => {
  for (const page of pages) {
    const text = readFileSync(page, 'utf8')
    assert.equal(fillPage(text, readResults()), text, 'run `npm run bench -- page`')
  }
})

test('only text between the markers is replaced', () => {
  const tables = [{ name: 'a', title: 'Title', head: ['', 'ms'], rows: [['x', '1']] }]
  const all = { start: { command: 'npm', date: '2026-01-01', commit: 'abc', machine: '2 cores', tables } }
  const page = 'Before.\n<!-- bench start/a -->\nold\n<!-- /bench -->\nAfter.\n'
  assert.equal(
    fillPage(page, all),
    'Before.\n<!-- bench start/a -->\n\nTitle:\n\n|  | ms |\n| --- | ---: |\n| x | 1 |\n\n*`npm`, 2026-01-01, commit abc, 2 cores.*\n\n<!-- /bench -->\nAfter.\n',
  )
  assert.throws(() => fillPage(page.replace('start/a', 'start/none'), all), /start\/none/)
})

test('sides are measured in turns, and warm-up rounds are not counted', async () => {
  const order: string[] = []
  const side = (name: string) => ({
    name,
    run(round: number) {
      order.push(name)
      return Promise.resolve([round, round * 10])
    },
  })
  const { values } = await inTurns([side('a'), side('b')], 2, 1)
  assert.deepEqual(order, ['a', 'b', 'a', 'b', 'a', 'b'])
  const both_rounds = [
    [0, 1],
    [0, 10],
  ]
  assert.deepEqual(values, [both_rounds, both_rounds])
})

test('the median of an odd number of rounds is the middle one', () => {
  assert.equal(median([9, 1, 4]), 4)
})
