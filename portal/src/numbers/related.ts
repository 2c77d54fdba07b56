import { useQueries } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'

/** What the numbers of a page refer to, by id: each record is asked for once, however many numbers have it. */

type NumberRow = Body<'listNumbers'>['data'][number]
type Names = ReadonlyMap<number, string>

export interface Related {
  routes: Names
  cnams: Names
  e911s: Names
}

interface Reference {
  data: { id: number } | null
}

/** The name of what a number refers to; null when it refers to nothing, and a placeholder while it is on its way. */
export const related = (names: Names, { data }: Reference): string | null =>
  data === null ? null : (names.get(data.id) ?? '…')

/** The names of the routes, caller-ID names and addresses of these numbers. */
export function useRelated(rows: readonly NumberRow[]): Related {
  const of = (...read: ((row: NumberRow) => Reference)[]) =>
    [...new Set(rows.flatMap((row) => read.flatMap((each) => each(row).data?.id ?? [])))].toSorted((a, b) => a - b)
  const route_ids = of(
    ({ relationships }) => relationships.primary_route,
    ({ relationships }) => relationships.failover_route,
  )
  const cnam_ids = of(({ relationships }) => relationships.cnam_preset)
  const e911_ids = of(({ relationships }) => relationships.e911_address)
  return useNamesById({ route_ids, cnam_ids, e911_ids })
}

/** The names of these records, as far as they are there. */
export function useNamesById({
  route_ids,
  cnam_ids,
  e911_ids,
}: Readonly<Record<'route_ids' | 'cnam_ids' | 'e911_ids', readonly number[]>>): Related {
  const routes = useQueries({ queries: route_ids.map((id) => q('getRoute', { params: { route_id: String(id) } })) })
  const cnams = useQueries({ queries: cnam_ids.map((id) => q('getCnam', { params: { cnam_id: String(id) } })) })
  const e911s = useQueries({ queries: e911_ids.map((id) => q('getE911', { params: { e911_id: String(id) } })) })
  return {
    routes: named(route_ids, routes, ({ data: { attributes } }) => attributes.alias ?? attributes.value ?? 'Route'),
    cnams: named(cnam_ids, cnams, ({ data: { attributes } }) => attributes.value),
    e911s: named(e911_ids, e911s, ({ data: { attributes } }) => attributes.label),
  }
}

const named = <B>(
  ids: readonly number[],
  results: readonly { data: B | undefined }[],
  nameOf: (body: B) => string,
): Names =>
  new Map(
    ids.flatMap((id, i): [number, string][] => (results[i]?.data === undefined ? [] : [[id, nameOf(results[i].data)]])),
  )
