import { FileRefused, textOf } from '../../platform/file-text.ts'
import { BULK } from './limits.ts'
import { unread, type BulkFormat, type BulkRow, type RowResult } from './validate-row.ts'

/** One JSON object per line; results are added after its own fields. A line that isn't an object is returned as the text `line`. */
export const ndjson: BulkFormat = {
  async *rows(source) {
    for await (const line of linesOf(source)) yield rowOf(line)
  },
}

/** Skips empty lines without yielding, so a file of line breaks is read quickly. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let kept = ''
  let line = 0
  for await (const text of textOf(source)) {
    const [first = '', ...lines] = text.split('\n')
    kept += first
    for (const next of lines) {
      line++
      const trimmed = kept.trim()
      kept = next
      if (trimmed !== '') yield trimmed
    }
    if (kept.length > BULK.record_max)
      throw new FileRefused(`Line ${line + 1} is longer than ${BULK.record_max} characters.`)
  }
  const last = kept.trim()
  if (last !== '') yield last
}

function rowOf(line: string): BulkRow {
  const fields = objectOf(line)
  if (!fields) {
    const result = unread('The line is not a JSON object.')
    return { unread: result, write: () => `${JSON.stringify({ line, ...added(result) })}\n` }
  }
  return {
    fields,
    write(result) {
      const addition = added(result)
      const empty = Object.keys(fields).length === 0
      // keeps its own fields as written, including digits of long numbers, unless an earlier result is replaced
      return empty || Object.keys(addition).some((name) => Object.hasOwn(fields, name))
        ? `${JSON.stringify({ ...fields, ...addition })}\n`
        : `${line.slice(0, -1)},${JSON.stringify(addition).slice(1)}\n`
    },
  }
}

const added = ({ verdict, level, detail, corrections }: RowResult) => ({ verdict, level, detail, corrections })

function objectOf(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
