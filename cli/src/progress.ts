import type { Io } from './io.ts'
import { visible } from './visible.ts'

/** Progress on standard error, on a terminal only. */
export interface Progress {
  /** Shows progress: a share from 0 to 1, or null if unknown, and a text. */
  show(share: number | null, words?: string): void
  /** Removes the line, so the next output starts at the left. */
  end(): void
}

const interval_ms = 100
const bar_width = 24
const clear_line = '\r\u001b[2K'

export function progressOf(io: Io, label: string): Progress {
  if (io.stderr.isTTY !== true) return { show: () => undefined, end: () => undefined }
  let shown_at = Number.NEGATIVE_INFINITY
  let shown = false
  const put = (text: string) => io.stderr.write(text, () => undefined)
  return {
    show(share, words = '') {
      const now = performance.now()
      if (now - shown_at < interval_ms && share !== 1) return
      shown_at = now
      shown = true
      put(clear_line + visible(lineOf(label, share, words)).slice(0, (io.stderr.columns ?? 80) - 1))
    },
    end() {
      if (shown) put(clear_line)
      shown = false
    },
  }
}

function lineOf(label: string, share: number | null, words: string): string {
  if (share === null) return `${label} ${words}`
  const filled = Math.round(Math.min(1, Math.max(0, share)) * bar_width)
  const bar = '█'.repeat(filled) + '░'.repeat(bar_width - filled)
  return `${label} ${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${words}`
}

export function bytesText(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = count
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}
