/**
 * Parses CSV rows (RFC 4180): quoted cells may contain commas, doubled quotes and line breaks. One unbalanced quote must
 * invalidate only its own line, but CSV libraries lose every line up to the next quote or the end of the body. This parser
 * rejects the first line of a malformed row and reparses the lines after it.
 */

import { LIMITS } from './limits.ts'
import type { Line } from './lines.ts'

/** `line`: the number of the row's first line. */
export type Row = { line: number; cells: string[] } | { line: number; error: string }

const QUOTE = 0x22
const SPACE = 0x20

const NEVER_CLOSED = 'Has a quoted cell that is never closed.'
const AFTER_QUOTE = 'Has text after the closing quote of a cell.'
const STRAY_QUOTE = 'Has a quote inside an unquoted cell.'

/** A row whose quoted cell continues in the next line. */
type OpenRow = {
  lines: Line[]
  chars: number
  cells: string[]
  /** The lines of the open cell so far. */
  cell_lines: string[]
}

/** `take` returns the rows that the lines complete, `flush` the remaining ones. Empty lines between rows are skipped. */
export class Rows {
  #open: OpenRow | undefined

  take(lines: readonly Line[]): Row[] {
    const rows: Row[] = []
    for (const line of lines) this.#add(line, rows)
    return rows
  }

  flush(): Row[] {
    const rows: Row[] = []
    while (this.#open !== undefined) this.#rejectFirstLine(this.#open, NEVER_CLOSED, rows)
    return rows
  }

  #add(line: Line, rows: Row[]): void {
    if ('error' in line) {
      if (this.#open !== undefined) this.#rejectFirstLine(this.#open, NEVER_CLOSED, rows)
      rows.push({ line: line.number, error: line.error })
    } else if (this.#open !== undefined) this.#continue(this.#open, line, rows)
    else if (line.text !== '' && line.text !== '\r') this.#begin(line, rows)
  }

  #begin(line: Line & { text: string }, rows: Row[]): void {
    if (!line.text.includes('"')) {
      rows.push({ line: line.number, cells: line.text.slice(0, endOf(line.text)).split(',') })
      return
    }
    const open: OpenRow = { lines: [line], chars: line.text.length, cells: [], cell_lines: [] }
    const outcome = readCells(line.text, open)
    if (outcome === 'open') this.#open = open
    else
      rows.push(outcome === 'complete' ? { line: line.number, cells: open.cells } : { line: line.number, ...outcome })
  }

  #continue(open: OpenRow, line: Line & { text: string }, rows: Row[]): void {
    open.lines.push(line)
    open.chars += line.text.length + 1
    const outcome = open.chars > LIMITS.line_bytes ? { error: NEVER_CLOSED } : readCells(line.text, open)
    if (outcome === 'open') return
    if (outcome !== 'complete') return this.#rejectFirstLine(open, outcome.error, rows)
    this.#open = undefined
    rows.push({ line: open.lines[0]?.number ?? line.number, cells: open.cells })
  }

  /**
   * Rejects the first line of an open row and reparses the others. Each line is parsed at most twice: only a line with an odd
   * number of quotes can open a row, and the next such line ends it, valid or not.
   */
  #rejectFirstLine(open: OpenRow, error: string, rows: Row[]): void {
    this.#open = undefined
    const [first, ...others] = open.lines
    if (first !== undefined) rows.push({ line: first.number, error })
    for (const line of others) this.#add(line, rows)
  }
}

/** Parses a line's cells into the row, continuing its open cell if it has one. */
function readCells(text: string, row: OpenRow): 'complete' | 'open' | { error: string } {
  const end = endOf(text)
  let at = 0
  let quoted = row.cell_lines.length > 0
  for (;;) {
    if (!quoted) {
      const start = beginOfQuoted(text, at)
      if (start >= 0) {
        quoted = true
        at = start
        continue
      }
      const comma = text.indexOf(',', at)
      const cell = text.slice(at, comma < 0 ? end : comma)
      if (cell.includes('"')) return { error: STRAY_QUOTE }
      row.cells.push(cell)
      if (comma < 0) return 'complete'
      at = comma + 1
    } else {
      const close = closingQuote(text, at)
      row.cell_lines.push(text.slice(at, close < 0 ? text.length : close))
      if (close < 0) return 'open'
      row.cells.push(row.cell_lines.join('\n').replaceAll('""', '"'))
      row.cell_lines = []
      quoted = false
      if (close + 1 >= end) return 'complete'
      if (text[close + 1] !== ',') return { error: AFTER_QUOTE }
      at = close + 2
    }
  }
}

/** The start of a quoted cell's content, or -1. Some writers put a space before the quote. */
function beginOfQuoted(text: string, at: number): number {
  while (text.charCodeAt(at) === SPACE) at += 1
  return text.charCodeAt(at) === QUOTE ? at + 1 : -1
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== QUOTE) return at
  }
  return -1
}

/** Without the carriage return of a CRLF. */
function endOf(text: string): number {
  return text.endsWith('\r') ? text.length - 1 : text.length
}
