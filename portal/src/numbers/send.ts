import { request } from '../api.ts'
import type { Change, ChangeResult } from './changes.ts'

/** So many numbers in one request: few enough that progress is seen, and a refusal comes soon. */
const chunk_size = 50

/** Sends changes in parts, and reports each part as it is done. A number that is refused does not keep the others back. */
export async function sendChanges(
  changes: readonly Change[],
  dry_run: boolean,
  onResults: (results: readonly ChangeResult[]) => void,
): Promise<ChangeResult[]> {
  const all: ChangeResult[] = []
  for (let at = 0; at < changes.length; at += chunk_size) {
    const numbers = changes.slice(at, at + chunk_size)
    const { data } = await request('updateNumbers', { query: { dry_run }, body: { mode: 'each', numbers } })
    all.push(...data)
    onResults(data)
  }
  return all
}
