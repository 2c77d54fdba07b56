/**
 * Rows of a CSV body, RFC 4180: quoted cells may hold commas, doubled quotes and line breaks. Our own reader, because one broken quote must
 * cost its own line and nothing else: the CSV parsers there are lose every line up to the next quote, or to the end of the body. Here a row
 * that turns out not to hang together is refused as its first line, and the lines after it are read again by themselves.
 */

import { LIMITS } from './limits.ts'
import type { Line } from './lines.ts'

/** `line` is where it begins. */
export type Row = { line: number; cells: string[] } | { line: number; fault: string }

const QUOTE = 0x22
const SPACE = 0x20

const NEVER_CLOSED = 'Has a quoted cell that is never closed.'
const AFTER_QUOTE = 'Has text behind the closing quote of a cell.'
const STRAY_QUOTE = 'Has a quote inside a cell that is not quoted.'

/** A row whose quoted cell goes on in the next line. */
type Open = {
  lines: Line[]
  chars: number
  cells: string[]
  /** Of the open cell, line by line. */
  parts: string[]
}

/** `take` gives the rows that lines complete, `end` what is left. Empty lines between rows are passed over. */
export class Rows {
  #open: Open | undefined

  take(lines: readonly Line[]): Row[] {
    const rows: Row[] = []
    for (const line of lines) this.#add(line, rows)
    return rows
  }

  end(): Row[] {
    const rows: Row[] = []
    while (this.#open !== undefined) this.#giveUp(this.#open, NEVER_CLOSED, rows)
    return rows
  }

  #add(line: Line, rows: Row[]): void {
    if ('fault' in line) {
      if (this.#open !== undefined) this.#giveUp(this.#open, NEVER_CLOSED, rows)
      rows.push({ line: line.number, fault: line.fault })
    } else if (this.#open !== undefined) this.#continue(this.#open, line, rows)
    else if (line.text !== '' && line.text !== '\r') this.#begin(line, rows)
  }

  #begin(line: Line & { text: string }, rows: Row[]): void {
    if (!line.text.includes('"')) {
      rows.push({ line: line.number, cells: line.text.slice(0, endOf(line.text)).split(',') })
      return
    }
    const open: Open = { lines: [line], chars: line.text.length, cells: [], parts: [] }
    const outcome = readCells(line.text, open)
    if (outcome === 'open') this.#open = open
    else rows.push(outcome === 'whole' ? { line: line.number, cells: open.cells } : { line: line.number, ...outcome })
  }

  #continue(open: Open, line: Line & { text: string }, rows: Row[]): void {
    open.lines.push(line)
    open.chars += line.text.length + 1
    const outcome = open.chars > LIMITS.line_bytes ? { fault: NEVER_CLOSED } : readCells(line.text, open)
    if (outcome === 'open') return
    if (outcome !== 'whole') return this.#giveUp(open, outcome.fault, rows)
    this.#open = undefined
    rows.push({ line: open.lines[0]?.number ?? line.number, cells: open.cells })
  }

  /**
   * Refuses the first line of an open row and reads the others afresh. A line is read again once at most: only one with an odd number of
   * quotes can open a row, and the next such line ends it, well or badly.
   */
  #giveUp(open: Open, fault: string, rows: Row[]): void {
    this.#open = undefined
    const [first, ...others] = open.lines
    if (first !== undefined) rows.push({ line: first.number, fault })
    for (const line of others) this.#add(line, rows)
  }
}

/** Reads a line's cells into the row, from within its open cell if it has one. */
function readCells(text: string, row: Open): 'whole' | 'open' | { fault: string } {
  const end = endOf(text)
  let at = 0
  let quoted = row.parts.length > 0
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
      if (cell.includes('"')) return { fault: STRAY_QUOTE }
      row.cells.push(cell)
      if (comma < 0) return 'whole'
      at = comma + 1
    } else {
      const close = closingQuote(text, at)
      row.parts.push(text.slice(at, close < 0 ? text.length : close))
      if (close < 0) return 'open'
      row.cells.push(row.parts.join('\n').replaceAll('""', '"'))
      row.parts = []
      quoted = false
      if (close + 1 >= end) return 'whole'
      if (text[close + 1] !== ',') return { fault: AFTER_QUOTE }
      at = close + 2
    }
  }
}

/** Where the content of a quoted cell begins, or -1. Some writers put a space before the quote. */
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
