import { InvalidInputError } from '@demarc/client/light'
import { request } from '../api.ts'
import type { Change, ChangeResult } from './changes.ts'

/** So many numbers in one request: few enough that progress is seen, and a refusal comes soon. */
const chunk_size = 50

/**
 * Sends changes in parts, and reports each part as it is done. A number that is refused does not keep the others back. Once the
 * signal is aborted, the part that is under way is the last.
 */
export async function sendChanges(
  changes: readonly Change[],
  dry_run: boolean,
  signal: AbortSignal,
  onResults: (results: readonly ChangeResult[]) => void,
): Promise<ChangeResult[]> {
  const all: ChangeResult[] = []
  for (let at = 0; at < changes.length && !signal.aborted; at += chunk_size) {
    const results = await sendPart(changes.slice(at, at + chunk_size), dry_run)
    all.push(...results)
    onResults(results)
  }
  return all
}

/** A change of the wrong form has the whole request refused, so the others are sent again without it. */
async function sendPart(numbers: readonly Change[], dry_run: boolean): Promise<ChangeResult[]> {
  if (numbers.length === 0) return []
  try {
    const { data } = await request('updateNumbers', {
      query: { dry_run },
      body: { mode: 'each', numbers: [...numbers] },
    })
    return data
  } catch (error) {
    const wrong = wrongOf(error)
    if (wrong.size === 0) throw error
    const rest = await sendPart(
      numbers.filter((_, i) => !wrong.has(i)),
      dry_run,
    )
    const sent = rest.values()
    return numbers.flatMap(({ value }, i) => {
      const detail = wrong.get(i)
      if (detail === undefined) return sent.next().value ?? []
      return { value, outcome: 'refused' as const, from: {}, to: {}, errors: [{ status: 422, detail }] }
    })
  }
}

/** What a refusal says of the change at each place, by field: `numbers.3.alias` is of the fourth. */
function wrongOf(error: unknown): ReadonlyMap<number, Record<string, string[]>> {
  const wrong = new Map<number, Record<string, string[]>>()
  if (!(error instanceof InvalidInputError)) return wrong
  for (const { field, message } of error.findings) {
    const [, place, name] = /^numbers\.(\d+)\.(\w+)$/.exec(field ?? '') ?? []
    if (place === undefined || name === undefined) return new Map()
    const detail = wrong.get(Number(place)) ?? {}
    wrong.set(Number(place), { ...detail, [name]: [...(detail[name] ?? []), message] })
  }
  return wrong
}
