import { focusManager } from '@tanstack/react-query'

/** Whoever touches nothing for so long is not at the page. */
const away_ms = 10 * 60_000

const touches = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/**
 * Pages ask again by themselves for what others change. They stop while nobody is at the page, so that a session ends of which
 * only a page that was left open is left.
 */
export function watchPresence(): void {
  let timer: ReturnType<typeof setTimeout> | null = null
  const onTouch = () => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), away_ms)
    // whether the page is seen decides again
    focusManager.setFocused(undefined)
  }
  for (const touch of touches) addEventListener(touch, onTouch, { capture: true, passive: true })
  onTouch()
}
