import assert from 'node:assert/strict'
import type { people, ResponseBody } from '@demarc/client'
import type { TestServer } from './server.ts'

type Session = ResponseBody<typeof people.getSession>['data']

/** Sign-ins at an identity provider by a browser that follows redirects and keeps cookies. */

export interface Surfer {
  /** Opens a URL and returns the portal page that it leads to. */
  visit(url: string): Promise<URL>
  /** The service's cookies. */
  cookies(): ReadonlyMap<string, string>
}

/** Follows redirects until a page of the portal, keeping the cookies of each origin. */
export function newSurfer(server: Pick<TestServer, 'base_url'>): Surfer {
  const cookies = new Map<string, Map<string, string>>()
  const visit = async (url: string): Promise<URL> => {
    const { origin } = new URL(url)
    const own = cookies.get(origin) ?? new Map<string, string>()
    cookies.set(origin, own)
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    await response.arrayBuffer()
    for (const header of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (header.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (value === '') own.delete(name)
      else own.set(name, value)
    }
    const location = response.headers.get('location')
    assert.ok(location, `${url} responds with ${response.status}`)
    const next = new URL(location, url)
    const arrived = next.origin === server.base_url && !next.pathname.startsWith('/v2/')
    return arrived ? next : await visit(next.href)
  }
  const own = () => cookies.get(server.base_url) ?? new Map<string, string>()
  return { visit, cookies: own }
}

/** The session in these cookies, or null. */
export async function sessionIn({ base_url }: TestServer, cookies: ReadonlyMap<string, string>) {
  const cookie = `demarc_session=${cookies.get('demarc_session') ?? ''}`
  const response = await fetch(`${base_url}/v2/session`, { headers: { cookie } })
  return ((await response.json()) as { data: Session }).data
}
