import { InvalidInputError } from '@demarc/client/light'
import { request } from '../api.ts'
import type { Change, ChangeResult } from './changes.ts'

/** Numbers per request: few enough to show progress and report refusals early. */
const chunk_size = 50

/** Sends changes in batches and reports each finished batch. Continues past refused numbers. After the signal aborts, the current batch is the last. */
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

/** One malformed change makes the API refuse the whole request, so the others are sent again without it. */
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

/** A refusal's messages by index of the change and field: `numbers.3.alias` is about the fourth. */
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
