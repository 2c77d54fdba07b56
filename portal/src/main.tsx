import './ui/base.css'
import { ConnectionError } from '@demarc/client/light'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { watchPresence } from './presence.ts'
import { router } from './routes.ts'
// preloaded, because it is shown when nothing can be loaded
import './shell/failed.tsx'
import { applyTheme } from './shell/theme.ts'
import { loadWhenUsed } from './shell/when-used.ts'

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
