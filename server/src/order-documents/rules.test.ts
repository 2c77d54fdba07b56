import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  disposition,
  limits,
  nextAttempt,
  pulledName,
  safeName,
  savedName,
  splitUrl,
  statusError,
  typeOf,
} from './rules.ts'

const submitted: [original_url: string, url: string, file: string][] = [
  ['https://a.example/bill.pdf', 'https://a.example/bill.pdf', 'bill.pdf'],
  ['https://a.example/x/bill.pdf?filename=july.pdf', 'https://a.example/x/bill.pdf', 'july.pdf'],
  ['https://a.example/get?id=7&filename=july.pdf', 'https://a.example/get?id=7', 'july.pdf'],
  ['https://a.example/get?filename=july.pdf&id=7', 'https://a.example/get?id=7', 'july.pdf'],
  ['https://a.example/get?a=%2f+x&filename=b&c=%zz', 'https://a.example/get?a=%2f+x&c=%zz', 'b'],
  ['https://a.example/get?file%6eame=july.pdf', 'https://a.example/get', 'july.pdf'],
  ['https://a.example/get?filename=a.pdf&filename=b.pdf', 'https://a.example/get', 'a.pdf'],
  ['https://a.example/get?filename=&filename=b.pdf', 'https://a.example/get', 'b.pdf'],
  ['https://a.example/get?filename=', 'https://a.example/get', 'get'],
  ['https://a.example/get?filename', 'https://a.example/get', 'get'],
  ['https://a.example/get?Filename=x', 'https://a.example/get?Filename=x', 'get'],
  ['https://a.example/get?my_filename=x', 'https://a.example/get?my_filename=x', 'get'],
  ['https://a.example/?filename=July+bill%20(1).pdf', 'https://a.example/', 'July bill (1).pdf'],
  ['https://a.example/?filename=%C5%81ukasz.pdf', 'https://a.example/', 'Łukasz.pdf'],
  ['https://a.example/x.pdf?filename=y.pdf#page=2', 'https://a.example/x.pdf#page=2', 'y.pdf'],
  ['https://a.example/x.pdf#?filename=y.pdf', 'https://a.example/x.pdf#?filename=y.pdf', 'x.pdf'],
  ['https://a.example', 'https://a.example', 'document'],
  ['https://a.example/folder/', 'https://a.example/folder/', 'folder'],
  ['https://a.example/July%20bill.pdf', 'https://a.example/July%20bill.pdf', 'July bill.pdf'],
  ['https://a.example/bad%ff.pdf', 'https://a.example/bad%ff.pdf', 'bad%ff.pdf'],
  ['https://a.example/a?filename=../../etc/passwd', 'https://a.example/a', 'passwd'],
  ['https://a.example/a?filename=..%2F..%2Fetc%2Fpasswd', 'https://a.example/a', 'passwd'],
  ['https://a.example/a?filename=..%5C..%5Cwin.ini', 'https://a.example/a', 'win.ini'],
  ['https://a.example/a?filename=..', 'https://a.example/a', 'a'],
  ['https://a.example/..%2F..%2Fetc%2Fpasswd', 'https://a.example/..%2F..%2Fetc%2Fpasswd', 'passwd'],
  ['https://a.example/a?filename=%00%0a.pdf', 'https://a.example/a', 'pdf'],
]

test('the filename parameter names the document and is removed from the otherwise unchanged URL', () => {
  for (const [original_url, url, file] of submitted) {
    const split = splitUrl(original_url)
    assert.equal(split.url, url, original_url)
    assert.equal(pulledName(split), file, original_url)
  }
})

test('a name has no path, no control or invisible characters, no dots at its ends', () => {
  const names: [string, string | null][] = [
    ['bill.pdf', 'bill.pdf'],
    ['/etc/passwd', 'passwd'],
    ['C:\\temp\\bill.pdf', 'bill.pdf'],
    ['a/b/', 'b'],
    ['.htaccess', 'htaccess'],
    ['bill.pdf. . ', 'bill.pdf'],
    ['bi\u0000ll\r\n.pdf', 'bill.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['\ud800x.pdf', '\ufffdx.pdf'],
    ['..', null],
    ['./../.', null],
    ['\u0007', null],
    ['', null],
  ]
  for (const [name, expected] of names) assert.equal(safeName(name), expected, JSON.stringify(name))
})

test('a long name is cut at a character boundary and keeps its extension', () => {
  assert.equal(safeName(`${'a'.repeat(5000)}.pdf`), `${'a'.repeat(limits.name_characters - 4)}.pdf`)
  assert.equal(safeName('é'.repeat(400)), 'é'.repeat(limits.name_characters))
  assert.equal(safeName('😀'.repeat(400)), '😀'.repeat(limits.name_characters))
})

test('a name with an allowed extension must match the content', () => {
  assert.deepEqual(typeOf('a.PDF', ['application/pdf']), { type: 'application/pdf' })
  assert.deepEqual(typeOf('a', ['application/pdf']), { type: 'application/pdf' })
  assert.deepEqual(typeOf('Invoice No. 5', ['text/plain', 'text/csv']), { type: 'text/plain' })
  assert.deepEqual(typeOf('a.csv', ['text/plain', 'text/csv']), { type: 'text/csv' })
  const result = typeOf('a.docx', ['application/pdf'])
  assert.ok('refused' in result)
  assert.equal(
    result.refused,
    'The name ends in .docx, but the content is a PDF. Rename it to end in .pdf, or send the right file.',
  )
})

test('a name without an allowed extension gets the extension of the content', () => {
  assert.equal(savedName('download.php', 'application/pdf'), 'download.php.pdf')
  assert.equal(savedName('photo.jpeg', 'image/jpeg'), 'photo.jpeg')
})

test('a name cannot inject a header', () => {
  assert.equal(
    disposition(`a"b\\%41Ł'(1).pdf`),
    `attachment; filename="a_b__41_'(1).pdf"; filename*=UTF-8''a%22b%5C%2541%C5%81%27%281%29.pdf`,
  )
})

test('only 5xx statuses are retried', () => {
  for (let status = 200; status < 600; status++) {
    const error = statusError(status)
    if (status === 200 || status === 203) assert.equal(error, null)
    else assert.equal(error?.retryable, status >= 500, String(status))
  }
})

test('transient failures are retried three times, with increasing delays', () => {
  const now = new Date(0)
  assert.deepEqual(
    [1, 2, 3, 4].map((n) => nextAttempt(n, now)?.getTime() ?? null),
    [5000, 30_000, 120_000, null],
  )
})
