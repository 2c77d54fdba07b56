import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { q } from '../api.ts'
import type { NamesOf } from './changes.ts'
import type { Catalogue } from './table-file.ts'

/** Routes, approved caller-ID names and emergency addresses of the account, with their names; the same object until they change. */
export function useCatalogue(): { catalogue: Catalogue; isLoaded: boolean } {
  const routes = useQuery(q('listRoutes', { query: { limit: 200 } })).data
  const cnams = useQuery(q('listCnams', { query: { limit: 2000, is_approved: true } })).data
  const e911s = useQuery(q('listE911s', { query: { limit: 2000 } })).data
  const catalogue = useMemo(
    () => ({
      routes: (routes?.data ?? []).map(({ id, attributes }) => ({ id, name: attributes.alias })),
      cnams: (cnams?.data ?? []).map(({ id, attributes }) => ({ id, name: attributes.value })),
      e911s: (e911s?.data ?? []).map(({ id, attributes }) => ({ id, name: attributes.label })),
    }),
    [routes, cnams, e911s],
  )
  return { catalogue, isLoaded: routes !== undefined && cnams !== undefined && e911s !== undefined }
}

/** The names of what a change refers to, by field and id. */
export function useNames(): NamesOf {
  const { catalogue } = useCatalogue()
  const { routes, cnams, e911s } = catalogue
  const lists = { cnam_id: cnams, e911_id: e911s, primary_route_id: routes, failover_route_id: routes }
  return (field, id) => {
    if (field === 'primary_route_id' && id === 0) return 'Default'
    const list = Object.entries(lists).find(([name]) => name === field)?.[1]
    return list?.find((each) => each.id === String(id))?.name ?? `id ${id}`
  }
}
