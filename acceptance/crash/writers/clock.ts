import { object } from '../json.ts'
import { move_timeout_ms, type WriterKind } from '../world.ts'

const share = 0.03
const step_s = 1
/** Tolerance for comparing the clocks of two processes. */
const tolerance_s = 1

export const clock: WriterKind = {
  name: 'the clock',
  operations: ['moveClock'],
  async open({ http, random, operator: by, database, clock: moves }) {
    const ahead_s = async () =>
      Number((await database.rows<{ ahead_ms: string }>('select ahead_ms from clock_offset'))[0]?.ahead_ms) / 1000
    const nowIn = (body: unknown) => Date.parse(String(object(object(body)['data'])['now']))
    const first_s = await ahead_s()
    let reached = 0

    return {
      async step() {
        if (!random.chance(share)) return
        moves.moved_s += step_s
        const json = { advance: `${step_s} seconds` }
        // without a key: with one, an interrupted move may run again, as the guide says
        const outcome = await http.send({ operation: 'moveClock', by, json, timeout_ms: move_timeout_ms })
        if (outcome.kind === 'done') reached = Math.max(reached, nowIn(outcome.body))
      },
      async count(findings) {
        const now = nowIn(await http.read({ operation: 'getClock', by }))
        if (now < reached) findings.lose(`the clock reads ${now} and was at ${reached}`)
        const most_s = first_s + moves.moved_s + tolerance_s
        const is_s = await ahead_s()
        if (is_s > most_s) findings.double(`the clock is ahead by ${is_s} s, of ${most_s} at most`)
      },
    }
  },
}
