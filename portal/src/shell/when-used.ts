/** Parts of the shell that no page shows as it opens. */

export const loadPalette = () => import('./palette.tsx')
export const loadSignInDialog = () => import('../sign-in/dialog.tsx')

/** Loads them at the first touch or key, so that the dialog for a session that has ended is there whatever the service serves by then. */
export function loadWhenUsed(): void {
  const used = new AbortController()
  const onUse = () => {
    used.abort()
    // what cannot be loaded now is asked for again when it is shown
    void Promise.allSettled([loadPalette(), loadSignInDialog()])
  }
  for (const event of ['pointerdown', 'keydown'])
    addEventListener(event, onUse, { capture: true, passive: true, signal: used.signal })
}
