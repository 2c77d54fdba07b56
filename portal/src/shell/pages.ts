import { useRouter, type AnyRoute } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'

export interface RailPage {
  path: string
  title: string
  icon: LucideIcon
}

/** The rail's pages, in the order of routes.ts. */
export function useRailPages(side: 'account' | 'operator'): RailPage[] {
  const router = useRouter()
  const routes: AnyRoute[] = Object.values(router.routesById)
  return routes.flatMap(({ options, fullPath }) => {
    const { title = '', rail } = options.staticData ?? {}
    return rail?.side === side || rail?.side === 'both' ? [{ path: fullPath, title, icon: rail.icon }] : []
  })
}
