import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { q, type Body } from '../api.ts'
import { useCatalog } from './names.ts'
import type { Named } from './table-file.ts'

/** The records that a page of numbers refers to, by id: from the account's lists, and individually if they are not in them. One request per record would be fifty per page. */

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

/** The name of a related record; null if there is none, a placeholder while it loads. */
export const related = (names: Names, { data }: Reference): string | null =>
  data === null ? null : (names.get(data.id) ?? '…')

/** The names of the routes, caller ID names, and addresses of these numbers; stable while unchanged. */
export function useRelated(rows: readonly NumberRow[]): Related {
  const { catalog, isLoaded } = useCatalog()
  const missing = (listed: readonly Named[], ...read: ((row: NumberRow) => Reference)[]) => {
    if (!isLoaded) return []
    const known = new Set(listed.map(({ id }) => id))
    const references = rows.flatMap((row) => read.flatMap((each) => each(row).data ?? []))
    return [...new Set(references.map(({ id }) => String(id))).difference(known)].toSorted()
  }
  const route_ids = missing(
    catalog.routes,
    ({ relationships }) => relationships.primary_route,
    ({ relationships }) => relationships.failover_route,
  )
  const cnam_ids = missing(catalog.cnams, ({ relationships }) => relationships.cnam_preset)
  const e911_ids = missing(catalog.e911s, ({ relationships }) => relationships.e911_address)
  const others = useNamesById({ route_ids, cnam_ids, e911_ids })
  return useMemo(
    () => ({
      routes: new Map([...namesOf(catalog.routes), ...others.routes]),
      cnams: new Map([...namesOf(catalog.cnams), ...others.cnams]),
      e911s: new Map([...namesOf(catalog.e911s), ...others.e911s]),
    }),
    [catalog, others],
  )
}

/** The names of these records, as far as loaded; stable while unchanged. */
function useNamesById({
  route_ids,
  cnam_ids,
  e911_ids,
}: Readonly<Record<'route_ids' | 'cnam_ids' | 'e911_ids', readonly string[]>>): Related {
  const routes = useQueries({
    queries: route_ids.map((route_id) => q('getRoute', { params: { route_id } })),
    combine: routeNames,
  })
  const cnams = useQueries({
    queries: cnam_ids.map((cnam_id) => q('getCnam', { params: { cnam_id } })),
    combine: cnamNames,
  })
  const e911s = useQueries({
    queries: e911_ids.map((e911_id) => q('getE911', { params: { e911_id } })),
    combine: e911Names,
  })
  return useMemo(
    () => ({ routes: namesOf(routes), cnams: namesOf(cnams), e911s: namesOf(e911s) }),
    [routes, cnams, e911s],
  )
}

type Results<B> = readonly { data: B | undefined }[]

// stable functions, so results are recombined only when one of them changes
const routeNames = (results: Results<Body<'getRoute'>>) =>
  named(results, ({ data: { id, attributes } }) => ({ id, name: attributes.alias ?? attributes.value ?? 'Route' }))
const cnamNames = (results: Results<Body<'getCnam'>>) =>
  named(results, ({ data: { id, attributes } }) => ({ id, name: attributes.value }))
const e911Names = (results: Results<Body<'getE911'>>) =>
  named(results, ({ data: { id, attributes } }) => ({ id, name: attributes.label }))

const named = <B>(results: Results<B>, nameOf: (body: B) => Named): Named[] =>
  results.flatMap(({ data }) => (data === undefined ? [] : [nameOf(data)]))

const namesOf = (list: readonly Named[]): Names => new Map(list.map(({ id, name }) => [Number(id), name]))
