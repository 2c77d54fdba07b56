import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNumbers } from './read-numbers.ts'

test('numbers are read from any pasted text, without duplicates', () => {
  for (const [text, numbers] of [
    ['2065557001', ['+12065557001']],
    ['(206) 555-7001\n206.555.7002\n+1 206 555 7003', ['+12065557001', '+12065557002', '+12065557003']],
    ['+12065557001, 12065557001; 206-555-7001', ['+12065557001']],
    ['2065557001 2065557002', ['+12065557001', '+12065557002']],
    ['number,name\n"206 555 7001","Front desk, 2nd floor"\n', ['+12065557001']],
    ['Main line: 206/555-7001 (since 2019)', ['+12065557001']],
    ['', []],
  ] as const)
    assert.deepEqual(readNumbers(text), { numbers, unread: [] }, text)
})

test('invalid numbers are reported; other text is ignored', () => {
  assert.deepEqual(readNumbers('206555700\n1065557001\nhttps://a.example 2019'), {
    numbers: [],
    unread: ['206555700', '1065557001'],
  })
  assert.deepEqual(readNumbers('+44 20 7946 0958').numbers, [])
})
