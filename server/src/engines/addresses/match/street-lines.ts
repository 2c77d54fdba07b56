import type { ListedStreet } from './rows.ts'

/**
 * Streets as one text, because a place has hundreds and a search needs few. One line per street: id, postal code, label, and
 * key, separated by tabs. No value contains a tab or line feed.
 */
export function linesOf(streets: readonly ListedStreet[]): string {
  return streets.map(({ id, postal, label, key }) => `${id}\t${postal}\t${label}\t${key}`).join('\n')
}

/** Start of each line. */
export function lineStarts(lines: string): number[] {
  const starts: number[] = []
  for (let at = 0; at < lines.length; at = endOfLine(lines, at) + 1) starts.push(at)
  return starts
}

/** The street of the line that begins at `start`. */
export function streetAt(lines: string, start: number): ListedStreet {
  const postal = lines.indexOf('\t', start) + 1
  const label = lines.indexOf('\t', postal) + 1
  const key = lines.indexOf('\t', label) + 1
  return {
    id: lines.slice(start, postal - 1),
    postal: lines.slice(postal, label - 1),
    label: lines.slice(label, key - 1),
    key: lines.slice(key, endOfLine(lines, key)),
  }
}

/** The line feed after a position, or the end. */
function endOfLine(lines: string, at: number): number {
  const end = lines.indexOf('\n', at)
  return end < 0 ? lines.length : end
}
