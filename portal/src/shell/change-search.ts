import { useNavigate, useSearch, type RegisteredRouter, type RouteById, type RouteIds } from '@tanstack/react-router'
import { useCallback } from 'react'
import { replacesEntry } from '../search.ts'

type Routes = RegisteredRouter['routeTree']
type PagePath = RouteIds<Routes> extends infer Id ? (Id extends `/signed-in${infer Path}` ? Path : never) : never
type SearchOf<P extends PagePath> = RouteById<Routes, `/signed-in${P}` & RouteIds<Routes>>['types']['fullSearchSchema']

/** Changes parameters in the URL of a page. */
export function useChangeSearch(to: string): (next: object) => void {
  const navigate = useNavigate()
  return useCallback(
    (next) => void navigate({ to, search: (before: object) => ({ ...before, ...next }), replace: replacesEntry(next) }),
    [navigate, to],
  )
}

interface Changes<Search> {
  /** Changes these parameters and keeps the others. */
  change(next: Partial<Search>): void
  /** The same, and returns to the first page of the list. */
  filter(next: Partial<Search>): void
}

/**
 * The parameters in the URL of a page, and the page of its list for the query and the `PagedList`. A tab of a page whose tabs
 * share its parameters names its own path as `tab`.
 */
export function usePageSearch<P extends PagePath>(path: P, limit = 50, tab: PagePath = path) {
  // TypeScript cannot derive a page's parameters from a type parameter, hence the casts
  const search = useSearch({ from: `/signed-in${path}` as '/signed-in/numbers' }) as unknown as SearchOf<P>
  const { offset } = search as { offset?: number }
  const change = useChangeSearch(tab)
  const filter = (next: object) => change({ offset: undefined, ...next })
  const changes: Changes<SearchOf<P>> = { change, filter }
  const onOffset = (next: number | undefined) => change({ offset: next })
  return { search, ...changes, page: { limit, offset }, paging: { limit, offset, onOffset } }
}
