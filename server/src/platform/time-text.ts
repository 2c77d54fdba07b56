const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

const digits = (length: number) => (value: number) => String(value).padStart(length, '0')
const all = (count: number, text: (value: number) => string) => Array.from({ length: count }, (_, i) => text(i))
const two = digits(2)
const minutes = all(1_440, (minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}:`)
const seconds = all(60, (second) => `${two(second)}.`)
const milliseconds = all(1_000, (ms) => `${digits(3)(ms)}Z`)

/** The last day that was written, because those of a list follow one another. */
let last = { day: NaN, text: '' }

/**
 * A time as responses have it: what `toISOString` returns, which takes eight times as long, more than all else that the
 * resource of a short row needs. Null stays null.
 */
export function timeText(time: Date): string
export function timeText(time: Date | null): string | null
export function timeText(time: Date | null): string | null {
  if (time === null) return null
  const ms = time.getTime()
  const day = Math.floor(ms / DAY_MS)
  if (day !== last.day) last = { day, text: time.toISOString().slice(0, -'00:00:00.000Z'.length) }
  const of_day = ms - day * DAY_MS
  const minute = Math.floor(of_day / MINUTE_MS)
  const of_minute = of_day - minute * MINUTE_MS
  const second = Math.floor(of_minute / 1_000)
  return `${last.text}${minutes[minute]}${seconds[second]}${milliseconds[of_minute - second * 1_000]}`
}
