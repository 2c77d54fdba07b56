import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'
import PdfKit from 'pdfkit'
import { factsDigest } from './facts.ts'
import type { SignedFacts } from './facts.ts'

/**
 * The signed LOA as a PDF. The same facts give the same bytes on any machine: the only time in it is the time of the
 * signature, and it is not compressed, because compressed bytes depend on the version of zlib.
 */

type Doc = PDFKit.PDFDocument

/** Prefix of the digest in the document's keywords. */
export const digestPrefix = 'loa-facts-sha256:'

const margin = 56
const columns = 5
const gray = '#555555'

/**
 * Draws the LOA: every field of the form, the agreement, the signature, and the digest of the facts on each page. In several
 * turns of the event loop, because the first LOA of a process takes a quarter of a second.
 */
export async function loaPdf(facts: SignedFacts): Promise<Uint8Array> {
  const digest = factsDigest(facts)
  const doc = new PdfKit({
    size: 'LETTER',
    margin,
    bufferPages: true,
    compress: false,
    lang: 'en-US',
    displayTitle: true,
    info: {
      Title: 'Letter of Agency',
      Author: facts.gaining_carrier,
      Subject: `Port order ${facts.port_order_id}`,
      Keywords: `${digestPrefix}${digest}`,
      CreationDate: new Date(facts.signature.signed_at),
    },
  })
  const { regular, bold } = fonts()
  await nextTurn()
  doc.registerFont('regular', asSource(regular)).registerFont('bold', asSource(bold))
  const steps = [
    () => title(doc, facts),
    () => account(doc, facts),
    () => numbers(doc, facts.form.numbers),
    ...agreement(doc, facts),
    () => signature(doc, facts),
    () => footers(doc, facts.port_order_id, digest),
  ]
  for (const step of steps) {
    step()
    await nextTurn()
  }
  doc.end()
  const chunks: Uint8Array[] = []
  for await (const chunk of doc) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** PDFKit also takes parsed fonts, which its types do not declare. */
const asSource = (font: Fonts['regular']) => font as unknown as PDFKit.Mixins.PDFFontSource

const widthOf = (doc: Doc) => doc.page.width - 2 * margin

function title(doc: Doc, facts: SignedFacts): void {
  doc.font('bold', 20).text('Letter of Agency', margin, margin)
  doc.font('regular', 9).fillColor(gray)
  doc.text(
    `Authorization to port telephone numbers to ${facts.gaining_carrier}. Port order ${facts.port_order_id}.`,
    margin,
    doc.y + 2,
  )
  doc.fillColor('black')
}

function account(doc: Doc, { form, gaining_carrier }: SignedFacts): void {
  heading(doc, 'Account')
  row(doc, 'Customer', form.billing_name)
  row(doc, 'Company', form.company)
  row(doc, 'Usage', form.usage_type)
  row(doc, 'Street', form.street)
  row(doc, 'Street, line 2', form.street2)
  row(doc, 'City', form.city)
  row(doc, 'State or province', form.state)
  row(doc, 'ZIP or postal code', form.zip)
  row(doc, 'Country', form.country)
  row(doc, 'From carrier', form.provider)
  row(doc, 'To carrier', gaining_carrier)
}

function numbers(doc: Doc, all: readonly string[]): void {
  heading(doc, `Telephone numbers (${all.length})`)
  const width = widthOf(doc) / columns
  doc.font('regular', 10)
  for (let i = 0; i < all.length; i += columns) {
    const y = ensureSpace(doc, 15)
    for (const [at, n] of all.slice(i, i + columns).entries())
      doc.text(`${n.slice(0, 3)}-${n.slice(3, 6)}-${n.slice(6)}`, margin + at * width, y, { width, lineBreak: false })
    doc.y = y + 15
  }
}

/** The steps that draw the agreement: its heading, and each paragraph. */
function agreement(doc: Doc, { agreement: { version, text } }: SignedFacts): (() => void)[] {
  const options = { width: widthOf(doc), lineGap: 1.5 }
  const draw = (paragraph: string) => {
    const y = ensureSpace(doc, doc.heightOfString(paragraph, options))
    doc.text(paragraph, margin, y, options)
    doc.y += 5
  }
  return [
    () => {
      heading(doc, `Agreement (version ${version})`)
      doc.font('regular', 9.5)
    },
    ...text.split('\n\n').map((paragraph) => () => draw(paragraph)),
  ]
}

function signature(doc: Doc, { signature: { name, title: position, signed_at } }: SignedFacts): void {
  ensureSpace(doc, 110)
  heading(doc, 'Signature')
  row(doc, 'Signed by', name)
  row(doc, 'Title', position)
  row(doc, 'Signed at (UTC)', signed_at)
}

function footers(doc: Doc, port_order_id: string, digest: string): void {
  const { start, count } = doc.bufferedPageRange()
  for (let page = start; page < start + count; page += 1) {
    doc.switchToPage(page)
    doc.page.margins.bottom = 0
    const y = doc.page.height - margin + 12
    doc.font('regular', 7).fillColor(gray)
    doc.text(`SHA-256 of the signed facts: ${digest}`, margin, y, { lineBreak: false })
    doc.text(`Port order ${port_order_id}, page ${page - start + 1} of ${count}`, margin, y + 10, { lineBreak: false })
  }
}

function heading(doc: Doc, label: string): void {
  const y = ensureSpace(doc, 50) + 14
  doc.font('bold', 11).text(label, margin, y)
  doc
    .strokeColor(gray)
    .lineWidth(0.5)
    .moveTo(margin, doc.y + 1)
    .lineTo(doc.page.width - margin, doc.y + 1)
    .stroke()
  doc.y += 6
}

/** Prints a label and its value. An empty value is printed as a dash, so that the LOA states every field. */
function row(doc: Doc, label: string, value: string): void {
  const indent = 130
  const options = { width: widthOf(doc) - indent }
  const shown = value === '' ? '–' : value
  doc.font('regular', 10)
  const height = doc.heightOfString(shown, options)
  const y = ensureSpace(doc, height + 3)
  doc
    .fillColor(gray)
    .text(label, margin, y, { lineBreak: false })
    .fillColor('black')
    .text(shown, margin + indent, y, options)
  doc.y = y + height + 3
}

/** Adds a page when less than `height` is left on the current one. Returns the y position to write at. */
function ensureSpace(doc: Doc, height: number): number {
  if (doc.y + height > doc.page.height - margin) {
    doc.addPage()
    doc.y = margin
  }
  return doc.y
}

/**
 * The fonts of the LOA: DejaVu Sans covers accented Latin, Greek and Cyrillic, and its license (Bitstream Vera) allows
 * embedding. Parsed once, because parsing takes longer than drawing an LOA.
 */
export interface Fonts {
  readonly regular: fontkit.Font
  readonly bold: fontkit.Font
}

let loaded: Fonts | null = null

export function fonts(): Fonts {
  loaded ??= load()
  return loaded
}

const load = (): Fonts => ({
  regular: readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  bold: readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
})

function readFont(url: string): fontkit.Font {
  const font = fontkit.create(readFileSync(fileURLToPath(url)))
  if ('fonts' in font) throw new Error('a font collection instead of a font')
  return font
}

/** Scripts that PDFKit renders correctly. It does not support right-to-left and complex scripts, which no US or Canadian carrier uses in its records. */
const printableScripts =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Canadian_Aboriginal}\p{Script=Common}\p{Script=Inherited}]$/u
const invisible = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u

/** The distinct characters of a text that the LOA cannot print. */
export function unprintable(text: string): string[] {
  const { regular } = fonts()
  const prints = (c: string) =>
    printableScripts.test(c) && !invisible.test(c) && regular.hasGlyphForCodePoint(c.codePointAt(0) ?? 0)
  return [...new Set(text)].filter((c) => !prints(c))
}
