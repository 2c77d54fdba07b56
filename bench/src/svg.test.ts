import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Curve } from './results.ts'
import { plot } from './svg.ts'

const curve = (lines: Curve['lines']): Curve => ({
  kind: 'curve',
  name: 'events',
  title: 'A & B',
  rounds: 5,
  load: { lowest: 1, highest: 1 },
  x: 'events',
  y: { name: 'time', unit: 'ms', digits: 1 },
  lines,
})

const coordinates = (svg: string): number[][] =>
  [...svg.matchAll(/points="([^"]*)"/g)].map(([, points = '']) => points.split(/[ ,]/).map(Number))

test('a cost that does not grow is level, and one that grows tenfold rises by a decade', () => {
  const points = (ys: number[]) => ys.map((y, i) => ({ x: 10 ** i, y }))
  const svg = plot(
    curve([
      { name: 'level', points: points([10, 10, 10]) },
      { name: 'rising', points: points([1, 10, 100]) },
    ]),
  )
  const [level = [], rising = []] = coordinates(svg)
  assert.equal(new Set([level[1], level[3], level[5]]).size, 1)
  const [first = 0, second = 0, third = 0] = [rising[1], rising[3], rising[5]]
  assert.ok(first > second && Math.abs(first - second - (second - third)) < 0.2, 'equal steps upwards')
  assert.equal(second, level[1])
})

test('every point is inside the plot, zero on its lower edge', () => {
  const svg = plot(curve([{ name: 'odd', points: [7, 320, 4_500_000].map((x) => ({ x, y: x === 7 ? 0 : x / 900 })) }]))
  const [line = []] = coordinates(svg)
  for (const [i, value] of line.entries())
    assert.ok(i % 2 === 0 ? value >= 70 && value <= 620 : value >= 50 && value <= 315, String(value))
  assert.equal(line[1], 315)
})

test('one size and one value still make a plot', () => {
  assert.doesNotMatch(plot(curve([{ name: 'one', points: [{ x: 10, y: 10 }] }])), /NaN|Infinity/)
})

test('a plot is well-formed, has colors for light and dark pages, and names its lines', () => {
  const svg = plot(curve([{ name: 'a < b', points: [{ x: 1, y: 1 }] }]))
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /)
  assert.match(svg, /A &amp; B.*a &lt; b/s)
  assert.match(svg, /prefers-color-scheme:dark/)
  const opened = [...svg.matchAll(/<(\w+)(?![^>]*\/>)[^>]*>/g)].length
  assert.equal(opened, [...svg.matchAll(/<\/\w+>/g)].length)
})
