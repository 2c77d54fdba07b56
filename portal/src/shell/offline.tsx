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

/** Says that the browser has no connection, above the page. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <div role="status">
      {!isOnline && (
        <p className={css.offline}>
          <WifiOff aria-hidden="true" />
          You are offline. What is shown stays, and the page goes on by itself when the connection is back.
        </p>
      )}
    </div>
  )
}
