import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeXml } from '../pidf.ts'
import { parseXml, XmlError } from './xml.ts'

test('elements, attributes, text, comments, CDATA, and entities are parsed', () => {
  const root = parseXml(`<?xml version="1.0"?>
    <!-- before --><a xmlns="urn:x" xmlns:p="urn:y" one='1' two="&lt;2&#33;&#x21;">
      text <p:b/><!-- in between --><c><![CDATA[<raw> & ]]>more</c> end
    </a><!-- after -->`)
  assert.equal(root.name, 'a')
  assert.equal(root.namespace, 'urn:x')
  assert.equal(root.attributes.get('one'), '1')
  assert.equal(root.attributes.get('two'), '<2!!')
  assert.deepEqual(
    root.children.map(({ name, namespace }) => [name, namespace]),
    [
      ['b', 'urn:y'],
      ['c', 'urn:x'],
    ],
  )
  assert.equal(root.children[1]?.text, '<raw> & more')
  assert.match(root.text, /^text\s+end$/)
})

test('a prefix refers to its nearest declaration', () => {
  const root = parseXml('<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"/><p:c/></p:a>')
  assert.deepEqual(
    root.children.map(({ namespace }) => namespace),
    ['urn:2', 'urn:1'],
  )
})

const REFUSED: [string, string][] = [
  ['a document type', '<!DOCTYPE a><a/>'],
  ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
  ['a declaration inside', '<a><!ENTITY x "y"></a>'],
  ['a processing instruction inside', '<a><?php ?></a>'],
  ['an entity of its own', '<a>&nbsp;</a>'],
  ['a bare ampersand', '<a>x & y</a>'],
  ['an unclosed element', '<a><b></a>'],
  ['an element that is closed by another name', '<a></b>'],
  ['an early end', '<a>'],
  ['an early end in a tag', '<a x="1'],
  ['two roots', '<a/><b/>'],
  ['text after the root', '<a/>x'],
  ['an attribute that occurs twice', '<a x="1" x="2"/>'],
  ['an attribute without quotes', '<a x=1/>'],
  ['attributes that are not apart', '<a x="1"y="2"/>'],
  ['a tag within an attribute', '<a x="<b>"/>'],
  ['a prefix that is not declared', '<p:a/>'],
  ['nothing', ''],
  ['JSON', '{"a":1}'],
  ['too deep a nesting', '<a>'.repeat(40) + '</a>'.repeat(40)],
  ['too many elements', `<a>${'<b/>'.repeat(6_000)}</a>`],
  ['too much of it', `<a>${'x'.repeat(300_000)}</a>`],
  ['a character beyond Unicode', '<a>&#x110000;</a>'],
]

for (const [what, text] of REFUSED) {
  test(`${what} is refused`, () => assert.throws(() => parseXml(text), XmlError))
}

test('escaped text is read back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      // oxlint-disable-next-line no-control-regex -- drops what XML doesn't allow, and surrounding whitespace
      const kept = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').trim()
      assert.equal(parseXml(`<a>${escapeXml(text)}</a>`).text, kept)
    }),
  )
})

test('a carriage return that is escaped is read back as one', () => {
  assert.equal(parseXml(`<a>${escapeXml('x\r\ny\rz')}</a>`).text, 'x\r\ny\rz')
})

test('the parser never hangs, and throws only XmlError', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<',
    '>',
    '&',
    '&lt;',
    '"',
    "'",
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    ' x="1"',
    '/>',
    '<?xml',
    '?>',
    'p:',
    'text',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        parseXml(pieces.join(''))
      } catch (error) {
        assert.ok(error instanceof XmlError, String(error))
      }
    }),
    { numRuns: 3_000 },
  )
})
