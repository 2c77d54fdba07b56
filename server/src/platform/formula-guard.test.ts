import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neutralized } from './csv.ts'

test('a cell that a spreadsheet would evaluate gets an apostrophe, even after invisible characters', () => {
  const signs = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20']
  const before = [
    '',
    ' ',
    '   ',
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    '\r\n',
    '\u0085',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '\u2029',
  ]
  const more = ['\0', '\u200b', '\u3000', '\u2003', '\u202e', '\u00ad', ' \u00a0\ufeff\n']
  for (const first of [...before, ...more])
    for (const sign of signs) {
      const cell = `${first}${sign}1+1`
      assert.equal(neutralized(cell), `'${cell}`, JSON.stringify(cell))
    }
  for (const cell of ['\ttab', '\nline', '\vtab', '\fpage', '\rreturn', '\u0085next', '\u2028line', '\u2029line'])
    assert.equal(neutralized(cell), `'${cell}`, JSON.stringify(cell))
})

test('every other cell stays unchanged, including telephone numbers', () => {
  for (const cell of [
    '',
    ' ',
    'a',
    "'=1",
    '1+1',
    'a=1',
    ' plain',
    '\u00a0plain',
    '\ufeffplain',
    '#1',
    '+',
    '12065550100',
    '+12065550100',
  ])
    assert.equal(neutralized(cell), cell === '+' ? "'+" : cell, JSON.stringify(cell))
  // more than a number
  for (const cell of ['+1206 5550100', ' +12065550100', '-12065550100', '+12065550100\n', '++1'])
    assert.equal(neutralized(cell), `'${cell}`, JSON.stringify(cell))
})
