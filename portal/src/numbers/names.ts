import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'
import type { NamesOf } from './changes.ts'

/** Names of routes, caller-ID names and addresses by their ids, from the lists that the form has asked for. */
export function useNames(): NamesOf {
  const routes = useQuery(q('listRoutes', { query: { limit: 200 } }))
  const cnams = useQuery(q('listCnams', { query: { limit: 2000, is_approved: true } }))
  const e911s = useQuery(q('listE911s', { query: { limit: 2000 } }))
  const names: Record<string, Map<string, string>> = {
    route: new Map((routes.data?.data ?? []).map(({ id, attributes }) => [id, attributes.alias])),
    cnam: new Map((cnams.data?.data ?? []).map(({ id, attributes }) => [id, attributes.value])),
    e911: new Map((e911s.data?.data ?? []).map(({ id, attributes }) => [id, attributes.label])),
  }
  const kindOf = (field: string) => (field.includes('route') ? 'route' : field.replace(/_id$/, ''))
  return (field, id) =>
    field.includes('route') && id === 0 ? 'Default' : (names[kindOf(field)]?.get(String(id)) ?? `id ${id}`)
}
