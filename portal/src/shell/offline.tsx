import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import css from './shell.module.css'

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** A banner shown while the browser is offline. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <div role="status">
      {!isOnline && (
        <p className={css.offline}>
          <WifiOff aria-hidden="true" />
          You’re offline. The page will update when the connection is back.
        </p>
      )}
    </div>
  )
}
