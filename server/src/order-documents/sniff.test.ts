import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSniffer, type Sniffed } from './sniff.ts'
import * as samples from './testing/samples.ts'

async function sniffed(bytes: Uint8Array, piece = bytes.length): Promise<Sniffed> {
  const sniffer = createSniffer()
  for (let at = 0; at < bytes.length; at += piece) sniffer.update(bytes.subarray(at, at + piece))
  return await sniffer.result()
}

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const text = ['text/plain', 'text/csv']

const accepted: [what: string, bytes: Buffer, candidates: string[]][] = [
  ['PDF', samples.pdf, ['application/pdf']],
  ['PNG', samples.png, ['image/png']],
  ['JPEG', samples.jpeg, ['image/jpeg']],
  ['TIFF', samples.tiff, ['image/tiff']],
  ['big-endian TIFF', Buffer.from('4d4d002a00000008000000000000', 'hex'), ['image/tiff']],
  ['TIFF with its directory at the end', Buffer.from('49492a0000000f00'.padEnd(400_000, '00'), 'hex'), ['image/tiff']],
  ['DOCX', samples.docx, [word]],
  ['XLSX', samples.xlsx, [excel]],
  ['large XLSX', samples.zip(['[Content_Types].xml', 'xl/workbook.xml', 'xl/media/a.png'], 1_500_000), [excel]],
  ['DOC', samples.doc, ['application/msword']],
  ['XLS', samples.xls, ['application/vnd.ms-excel']],
  ['XLS as before 1997', samples.compound(['Root Entry', 'Book']), ['application/vnd.ms-excel']],
  [
    'DOC with a workbook in it',
    samples.compound(['Root Entry', 'WordDocument', 'Workbook']),
    ['application/msword', 'application/vnd.ms-excel'],
  ],
  ['CSV', samples.csv, text],
  ['text with a byte order mark', Buffer.from('\ufeffname\r\n'), text],
  ['Latin text', samples.latin, text],
  ['text that begins like a bitmap', Buffer.from('BM,2065550100\n'), text],
  ['text that begins like a program', Buffer.from('MZ Holdings Inc.\n'), text],
  ['text with a comparison', Buffer.from('minutes < 30, cost > 5\n'), text],
]

test('the type of a document is detected from its content for any chunk size', async () => {
  for (const [what, bytes, candidates] of accepted)
    for (const piece of bytes.length > 10_000 ? [bytes.length, 65_536, 1000] : [bytes.length, 100, 7, 1])
      assert.deepEqual(await sniffed(bytes, piece), { candidates }, `${what} in chunks of ${piece}`)
})

const refused: [what: string, bytes: Buffer, reason: RegExp][] = [
  ['nothing', Buffer.alloc(0), /empty/],
  ['a page', samples.html, /web page/],
  ['a page after whitespace and a mark', Buffer.from('\ufeff \n\t<HTML lang=en>'), /web page/],
  ['a page that begins with a comment', Buffer.from('<!-- x --><p>'), /web page/],
  ['a page that begins with words', Buffer.from('Loading… <script>location="/"</script>'), /web page/],
  ['XML', Buffer.from('<?xml version="1.0"?><a/>'), /markup/],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /markup/],
  ['text with a NUL', Buffer.from('number\0name\n'), /has an unknown type/],
  ['UTF-16', Buffer.from('\ufeffnumber', 'utf16le'), /has an unknown type/],
  ['text with an escape', Buffer.from('a\u001b[31mb'), /has an unknown type/],
  ['GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00', 'latin1'), /GIF/],
  ['a program', Buffer.from('4d5a90000300000004000000ffff0000', 'hex'), /EXE/],
  ['ELF', Buffer.from('7f454c4602010100000000000000000002003e00', 'hex'), /ELF/],
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex'), /GZ/],
  ['random bytes', Buffer.from('0102030405060708a0b0c0d0', 'hex'), /has an unknown type/],
  ['a ZIP of something', samples.zip(['readme.txt', 'word.exe']), /ZIP archive/],
  ['a presentation', samples.zip(['[Content_Types].xml', 'ppt/presentation.xml']), /ZIP archive/],
  ['both Word and Excel', samples.zip(['[Content_Types].xml', 'word/document.xml', 'xl/workbook.xml']), /ZIP archive/],
  ['macros', samples.docm, /macros/],
  ['half a DOCX', samples.docx.subarray(0, 200), /incomplete/],
  ['a DOCX with a wrong directory', zipWithWrongDirectory(), /incomplete/],
  ['an installer', samples.compound(['Root Entry', 'SummaryInformation']), /compound file/],
]

/** The offset of its directory is the largest possible one. */
function zipWithWrongDirectory(): Buffer {
  const bytes = Buffer.from(samples.docx)
  bytes.writeUInt32LE(0xffffffff, bytes.length - 6)
  return bytes
}

test('all other content is refused with a reason', async () => {
  for (const [what, bytes, reason] of refused) {
    for (const piece of [bytes.length, 5, 1]) {
      const result = await sniffed(bytes, Math.max(1, piece))
      assert.ok('refused' in result, what)
      assert.match(result.refused, reason, what)
    }
  }
})

test('random bytes after any header never cause an exception', async () => {
  const beginnings = [samples.docx, samples.doc, samples.png, samples.tiff, samples.pdf, samples.jpeg]
  let seed = 12345
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
  for (const beginning of beginnings)
    for (let i = 0; i < 200; i++) {
      const bytes = Buffer.from(beginning.subarray(0, 8 + Math.floor(random() * beginning.length)))
      for (let change = 0; change < 10; change++)
        bytes[8 + Math.floor(random() * Math.max(0, bytes.length - 8))] = Math.floor(random() * 256)
      const result = await sniffed(bytes)
      assert.ok('refused' in result || result.candidates.length > 0)
    }
})
