/** What the LOA uses of two packages that bring no types. */

declare module 'fontkit' {
  export interface Font {
    readonly postscriptName: string
    hasGlyphForCodePoint(code_point: number): boolean
  }
  export function create(bytes: Uint8Array): Font
}

declare module 'pdfkit' {
  import type { Font } from 'fontkit'

  export interface TextOptions {
    width?: number
    height?: number
    align?: 'left' | 'right' | 'center'
    lineGap?: number
    lineBreak?: boolean
    paragraphGap?: number
  }

  export class PDFDocument implements AsyncIterable<Uint8Array> {
    constructor(options: {
      size: 'LETTER'
      margin: number
      bufferPages: boolean
      compress: boolean
      lang: string
      displayTitle: boolean
      info: { Title: string; Author: string; Subject: string; Keywords: string; CreationDate: Date }
    })
    x: number
    y: number
    readonly page: {
      readonly width: number
      readonly height: number
      margins: { top: number; bottom: number; left: number; right: number }
    }
    font(font: Font, size?: number): this
    fontSize(size: number): this
    fillColor(color: string): this
    strokeColor(color: string): this
    lineWidth(width: number): this
    moveTo(x: number, y: number): this
    lineTo(x: number, y: number): this
    stroke(): this
    text(text: string, x: number, y: number, options?: TextOptions): this
    heightOfString(text: string, options?: TextOptions): number
    addPage(): this
    bufferedPageRange(): { start: number; count: number }
    switchToPage(index: number): this
    end(): void
    [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array>
  }
}
