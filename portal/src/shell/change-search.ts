import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { replacesEntry } from '../search.ts'

/** Changes parameters in the URL of a page. */
export function useChangeSearch(to: string): (next: object) => void {
  const navigate = useNavigate()
  return useCallback(
    (next) => void navigate({ to, search: (before: object) => ({ ...before, ...next }), replace: replacesEntry(next) }),
    [navigate, to],
  )
}
