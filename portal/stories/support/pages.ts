import assert from 'node:assert/strict'
import { routeTree } from '../../src/routes.ts'
import type { Service } from '../../../acceptance/support/service.ts'

/** Every page in routes.ts, so stories and screenshots include new pages automatically. */

export interface PageOfPortal {
  /** As in routes.ts: `/numbers/$number`. */
  path: string
  /** The browser tab's title. */
  title: string
  /** Who it is for: signed-out visitors, the customer, or the operator's clerk. */
  visitor: 'anyone' | 'owner' | 'operator'
}

export interface PageWithUrl extends PageOfPortal {
  /** With example parameters. */
  url: string
}

/** Shares its path with the customer's overview. */
export const operatorOverview: PageWithUrl = { path: '/', url: '/', title: 'Overview', visitor: 'operator' }

type Examples = Readonly<Record<string, (service: Service) => Promise<Record<string, string>>>>

/** Example parameters, by path. */
const examples: Examples = {
  '/operator/accounts/$account': async ({ account }) => ({
    account: (await account.whoami()).body.data.account_id ?? '',
  }),
  '/port-orders/$order': async ({ account }) => {
    const { body } = await account.listPortOrders({ query: { status: 'Rejected' } })
    return { order: body.data[0]?.id ?? assert.fail('the demo has no rejected order') }
  },
  '/call-records/exports/$export_id': async ({ account }) => {
    const { body } = await account.listCdrExports({ query: { status: 'completed', limit: 1 } })
    return { export_id: body.data[0]?.id ?? assert.fail('the demo has no completed export') }
  },
  '/e911/$e911_id': async ({ account }) => {
    const { body } = await account.listE911s({ query: { limit: 1 } })
    return { e911_id: body.data[0]?.id ?? assert.fail('the demo has no emergency address') }
  },
  // has parameters, an enveloped body, lists, and objects
  '/developers/reference/$operation': async () => ({ operation: 'createPortOrder' }),
  '/numbers/$number': async ({ account }) => {
    const { body } = await account.listNumbers({ query: { limit: 1 } })
    return { number: body.data[0]?.attributes.value ?? assert.fail('the demo has no number') }
  },
}

/** Fragments of pages that need one. */
const hashes: Readonly<Record<string, string>> = { '/unsubscribe': '#7.port_rejected.example' }

interface Route {
  options: { id?: string; path?: string; staticData?: { title?: string } }
  children?: readonly Route[]
}

/** The page's URL with an example; `others` overrides examples. */
export async function urlOf({ path }: PageOfPortal, service: Service, others: Examples = {}): Promise<string> {
  const find = others[path] ?? examples[path]
  assert.ok(!path.includes('$') || find, `portal/stories/support/pages.ts has no example for ${path}`)
  const params = (await find?.(service)) ?? {}
  return path.replace(/\$(\w+)/g, (_, name: string) => params[name] ?? '') + (hashes[path] ?? '')
}

/** All pages with examples. */
export async function pagesOf(service: Service, others?: Examples): Promise<PageWithUrl[]> {
  const found: PageWithUrl[] = []
  for (const page of pages) found.push({ ...page, url: await urlOf(page, service, others) })
  return found
}

/** Routes that are pages; layout routes have no path. */
function leavesOf({ options, children = [] }: Route, above: Leaf = root): Leaf[] {
  const own = options.path === undefined ? above.path : `${above.path === '/' ? '' : above.path}${options.path}`
  const leaf = {
    // a page's first tab has the page's path
    path: own.replace(/(?<=.)\/$/, '') || '/',
    title: options.staticData?.title ?? above.title,
    is_signed_in: above.is_signed_in || options.id === 'signed-in',
  }
  if (children.length === 0) return [leaf]
  return [...children].flatMap((child) => leavesOf(child, leaf))
}

const root: Leaf = { path: '', title: '', is_signed_in: false }

interface Leaf {
  path: string
  title: string
  is_signed_in: boolean
}

/** All pages but the operator's overview. */
export const pages: readonly PageOfPortal[] =
  // the router's own type differs for each route
  leavesOf(routeTree as unknown as Route).map(({ path, title, is_signed_in }) => ({
    path,
    title,
    visitor: !is_signed_in ? 'anyone' : path.startsWith('/operator/') ? 'operator' : 'owner',
  }))
