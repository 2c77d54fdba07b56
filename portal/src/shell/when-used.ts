/** Parts of the shell that pages don't need at first. */

export const loadPalette = () => import('./palette.tsx')
export const loadSignInDialog = () => import('../sign-in/dialog.tsx')

/** Loads them on the first input, so the sign-in dialog is available even if the service has a newer build by then. */
export function loadWhenUsed(): void {
  const used = new AbortController()
  const onUse = () => {
    used.abort()
    // a failed load is retried when the part is shown
    void Promise.allSettled([loadPalette(), loadSignInDialog()])
  }
  for (const event of ['pointerdown', 'keydown'])
    addEventListener(event, onUse, { capture: true, passive: true, signal: used.signal })
}
