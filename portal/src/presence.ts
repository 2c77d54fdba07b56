import { focusManager } from '@tanstack/react-query'

/** A person with no input for this long is away. */
const away_ms = 10 * 60_000

const touches = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Pages poll for changes made by others. Polling stops while the person is away, so an abandoned page doesn't keep its session alive. */
export function watchPresence(): void {
  let timer: ReturnType<typeof setTimeout> | null = null
  const onTouch = () => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), away_ms)
    // fall back to the page's visibility
    focusManager.setFocused(undefined)
  }
  for (const touch of touches) addEventListener(touch, onTouch, { capture: true, passive: true })
  onTouch()
}
