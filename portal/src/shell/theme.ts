import { useSyncExternalStore } from 'react'

/** The theme: the system's unless the person chose one in this browser. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'demarc-theme'
const subscribers = new Set<() => void>()

function chosen(): Theme {
  const text = localStorage.getItem(key)
  return text === 'light' || text === 'dark' ? text : 'system'
}

/** Applies the chosen theme. */
export function applyTheme(): void {
  const theme = chosen()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  applyTheme()
  for (const each of subscribers) each()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((onChange) => {
    subscribers.add(onChange)
    return () => subscribers.delete(onChange)
  }, chosen)
