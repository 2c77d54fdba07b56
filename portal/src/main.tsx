import './ui/base.css'
import { ConnectionError } from '@demarc/client/light'
import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { router } from './routes.ts'
// preloaded, because it is shown when nothing can be loaded
import './shell/failed.tsx'
import { applyTheme } from './shell/theme.ts'
import { loadWhenUsed } from './shell/when-used.ts'

/** A person with no input for this long is away. */
const away_ms = 10 * 60_000
const touches = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

applyTheme()
watchPresence()
loadWhenUsed()
const element = document.getElementById('root')
if (element === null) throw new Error('index.html has no element with the id root.')
createRoot(element, {
  onCaughtError(error) {
    // the page reports it
    if (!(error instanceof ConnectionError)) console.error(error)
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)

/** Pages poll for changes made by others. Polling stops while the person is away, so an abandoned page doesn't keep its session alive. */
function watchPresence(): void {
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
