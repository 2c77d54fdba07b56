/** Combines waiting inserts into one, because the store's cost per insert hardly depends on the number of records. */

import { LIMITS } from './limits.ts'
import type { RecordBlock } from './rows.ts'
import type { InsertOutcome } from './types.ts'

/** Inserts blocks in order and returns the outcome of each. */
export type InsertGroup = (blocks: readonly RecordBlock[]) => Promise<InsertOutcome[]>

type Waiting = {
  block: RecordBlock
  /** Ends the wait for a turn. */
  joined: AbortController
  /** The block's outcome, once another group has taken it. */
  outcome: Promise<InsertOutcome> | undefined
}

/**
 * Returns the function that inserts a block. When `turn` grants its turn, it also inserts waiting blocks, oldest first, up to
 * the limits of one INSERT. Those blocks need no turn.
 */
export function groupInserts(
  insert: InsertGroup,
): (block: RecordBlock, turn: (joined: AbortSignal) => Promise<() => void>) => Promise<InsertOutcome> {
  const waiting = new Set<Waiting>()

  return async (block, turn) => {
    const own: Waiting = { block, joined: new AbortController(), outcome: undefined }
    waiting.add(own)
    let release: () => void
    try {
      release = await turn(own.joined.signal)
    } catch (error) {
      waiting.delete(own)
      if (own.outcome === undefined) throw error
      return await own.outcome
    }
    try {
      return await (own.outcome ?? take(own, waiting, insert))
    } finally {
      release()
    }
  }
}

/** Inserts the block together with the waiting blocks that fit. Returns the block's outcome. */
function take(own: Waiting, waiting: Set<Waiting>, insert: InsertGroup): Promise<InsertOutcome> {
  const group = [own]
  let [rows, size] = [own.block.rows, own.block.size]
  waiting.delete(own)
  for (const other of waiting) {
    rows += other.block.rows
    size += other.block.size
    if (rows > LIMITS.insert_rows || size > LIMITS.insert_bytes) break
    group.push(other)
    waiting.delete(other)
  }
  const outcomes = insert(group.map(({ block }) => block))
  const outcomeAt = (at: number): Promise<InsertOutcome> => outcomes.then((all) => all[at] ?? NOTHING)
  for (const [at, other] of group.entries()) {
    if (other === own) continue
    other.outcome = outcomeAt(at)
    other.joined.abort()
  }
  return outcomeAt(0)
}

const NOTHING: InsertOutcome = { accepted: 0, duplicates: 0 }
