import { useMemo } from 'react'
import { everything, type Body, useRead } from '../api.ts'
import type { NamesOf } from './changes.ts'
import type { Catalog } from './table-file.ts'

/** The account's routes, approved caller ID names, and emergency addresses by id, for display. The object is stable until they change. */
export function useCatalog(): { catalog: Catalog; isLoaded: boolean } {
  const routes = useRead('listRoutes', { query: { limit: 200 } }).data
  const cnams = useRead('listCnams', { query: { limit: 2000, is_approved: true } }).data
  const e911s = useRead('listE911s', { query: { limit: 2000 } }).data
  const catalog = useMemo(
    () => catalogOf(routes?.data ?? [], cnams?.data ?? [], e911s?.data ?? []),
    [routes, cnams, e911s],
  )
  return { catalog, isLoaded: routes !== undefined && cnams !== undefined && e911s !== undefined }
}

/** All of them, once loaded: reading or writing a file must not miss any. */
export const loadCatalog = async (): Promise<Catalog> =>
  catalogOf(
    ...(await Promise.all([
      everything('listRoutes', {}),
      everything('listCnams', { query: { is_approved: true } }),
      everything('listE911s', {}),
    ])),
  )

const catalogOf = (
  routes: Body<'listRoutes'>['data'],
  cnams: Body<'listCnams'>['data'],
  e911s: Body<'listE911s'>['data'],
): Catalog => ({
  routes: routes.map(({ id, attributes }) => ({ id, name: attributes.alias })),
  cnams: cnams.map(({ id, attributes }) => ({ id, name: attributes.value })),
  e911s: e911s.map(({ id, attributes }) => ({ id, name: attributes.label })),
})

/** The name behind an id in a change, by field. */
export function useNames(): NamesOf {
  const { catalog } = useCatalog()
  const { routes, cnams, e911s } = catalog
  const lists = { cnam_id: cnams, e911_id: e911s, primary_route_id: routes, failover_route_id: routes }
  return (field, id) => {
    if (field === 'primary_route_id' && id === 0) return 'Default'
    const list = Object.entries(lists).find(([name]) => name === field)?.[1]
    return list?.find((each) => each.id === String(id))?.name ?? `id ${id}`
  }
}
