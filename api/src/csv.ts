/** Reads and writes CSV (RFC 4180). */

/** A cell, quoted only if necessary. */
export const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Most characters in one line, because an unclosed quote must not read the whole file into memory. */
export const csvLine_max = 1024 * 1024

export interface CsvRow {
  /** The line it starts on, counted from 1 as editors do: empty lines and lines within quotes count. */
  line: number
  cells: string[]
}

/** The cells of each row; see `readCsvRows`. */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
  refuse: (after_line: number) => never,
): AsyncGenerator<string[]> {
  for await (const { cells } of readCsvRows(pieces, refuse)) yield cells
}

/**
 * Reads rows from pieces of text of any size. Drops a byte order mark and skips empty lines. If a quote is not closed or a row is
 * longer than `csvLine_max`, calls `refuse`, which throws, with the number of the line before that row.
 */
export async function* readCsvRows(
  pieces: AsyncIterable<string> | Iterable<string>,
  refuse: (after_line: number) => never,
): AsyncGenerator<CsvRow> {
  let rest = ''
  let line = 1
  let is_first = true
  for await (const piece of pieces) {
    rest += is_first ? piece.replace(/^\uFEFF/, '') : piece
    if (piece !== '') is_first = false
    let begin = 0
    for (let end = lineEnd(rest, begin); end >= 0; end = lineEnd(rest, begin)) {
      const text = rest.slice(begin, end)
      begin = end + 1
      const cells = cellsOf(text)
      if (cells) yield { line, cells }
      line += text.includes('"') ? text.split('\n').length : 1
    }
    rest = rest.slice(begin)
    if (rest.length > csvLine_max) refuse(line - 1)
  }
  // an unclosed quote would put the rows after it into its cell
  if (rest.split('"').length % 2 === 0) refuse(line - 1)
  const cells = cellsOf(rest)
  if (cells) yield { line, cells }
}

/** The end of the line from `begin`: a line feed with an even number of quotes before it; -1 if the line is incomplete. */
function lineEnd(text: string, begin: number): number {
  let even = true
  for (let from = begin; ;) {
    const end = text.indexOf('\n', from)
    if (end < 0) return -1
    // search only this line, because the text after it can be long
    const part = text.slice(from, end)
    if (part.includes('"') && part.split('"').length % 2 === 0) even = !even
    if (even) return end
    from = end + 1
  }
}

/** The cells of a line; null for an empty one. */
function cellsOf(line: string): string[] | null {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (text === '') return null
  if (!text.includes('"')) return text.split(',')
  const cells: string[] = []
  for (let at = 0; at <= text.length;) {
    if (text[at] !== '"') {
      const comma = text.indexOf(',', at)
      const end = comma < 0 ? text.length : comma
      cells.push(text.slice(at, end))
      at = end + 1
      continue
    }
    let closing = text.indexOf('"', at + 1)
    while (closing >= 0 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2)
    const end = closing < 0 ? text.length : closing
    cells.push(text.slice(at + 1, end).replaceAll('""', '"'))
    at = end + 2
  }
  return cells
}
