import assert from 'node:assert/strict'
import { routeTree } from '../../src/routes.ts'
import type { Service } from '../../../acceptance/support/service.ts'

/** Every page of the portal, as routes.ts has them: a new page is in the stories and on the pictures by itself. */

export interface PageOfPortal {
  /** As in routes.ts: `/numbers/$number`. */
  path: string
  /** With the parameters of an example. */
  url: string
  /** As the tab of the browser has it. */
  title: string
  /** Who sees it: nobody is signed in, the holder of an account, the operator's clerk. */
  visitor: 'anyone' | 'owner' | 'operator'
}

/** At the path of the holder's. */
export const operatorOverview: PageOfPortal = { path: '/', url: '/', title: 'Overview', visitor: 'operator' }

type Examples = Readonly<Record<string, (service: Service) => Promise<Record<string, string>>>>

/** For a path with parameters: how to find an example of them. */
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
  // one with parameters, a body in an envelope, lists and objects
  '/developers/reference/$operation': async () => ({ operation: 'createPortOrder' }),
  '/numbers/$number': async ({ account }) => {
    const { body } = await account.listNumbers({ query: { limit: 1 } })
    return { number: body.data[0]?.attributes.value ?? assert.fail('the demo has no number') }
  },
}

/** What links have behind their `#`, where a page shows nothing without it. */
const hashes: Readonly<Record<string, string>> = { '/unsubscribe': '#7.port_rejected.example' }

interface Route {
  options: { id?: string; path?: string; staticData?: { title?: string } }
  children?: readonly Route[]
}

/** The pages, with an example of each; `others` are found in another way. */
export async function pagesOf(service: Service, others: Examples = {}): Promise<PageOfPortal[]> {
  const pages: PageOfPortal[] = []
  // the tree as its reader needs it; the router's own type of it is one for each route
  for (const { path, title, is_signed_in } of leavesOf(routeTree as unknown as Route)) {
    const find = others[path] ?? examples[path]
    assert.ok(!path.includes('$') || find, `portal/stories/support/pages.ts has no example for ${path}`)
    const params = (await find?.(service)) ?? {}
    pages.push({
      path,
      url: path.replace(/\$(\w+)/g, (_, name: string) => params[name] ?? '') + (hashes[path] ?? ''),
      title,
      visitor: !is_signed_in ? 'anyone' : path.startsWith('/operator/') ? 'operator' : 'owner',
    })
  }
  return pages
}

/** Routes that are pages: those that lay others out have no path of their own. */
function leavesOf({ options, children = [] }: Route, above: Leaf = root): Leaf[] {
  const own = options.path === undefined ? above.path : `${above.path === '/' ? '' : above.path}${options.path}`
  const leaf = {
    // the first tab of a page is at the path of the page
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
