import assert from 'node:assert/strict'
import {
  createDemarcClient,
  needsSession,
  type DemarcClient,
  type Operation,
  type people,
  type ResponseBody,
  type Role,
} from '@demarc/client'
import { systemActor } from '../../src/platform/actor.ts'
import { inTransaction } from '../../src/platform/db.ts'
import { addDemoPerson, invite } from '../../src/people/index.ts'
import { mailTokenContext } from '../../src/people/secret-store.ts'
import { checkingFetch } from './checking-fetch.ts'
import { hang_ms } from './eventually.ts'
import type { TestServer } from './server.ts'
import { wire, type Send } from './wire.ts'

type Session = NonNullable<ResponseBody<typeof people.getSession>['data']>

/** A browser: it stores cookies and sends its session's CSRF token. */
export interface Browser {
  client: DemarcClient
  /** The account to act for; null: none. */
  account_id: string | null
  session: Session | null
  /** Headers that it sends with every request. */
  headers(): Record<string, string>
}

export function newBrowser({ base_url }: Pick<TestServer, 'base_url'>): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = () => [...cookies.values()].join('; ')
  const keepCookie: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    if (cookies.size > 0) headers.set('cookie', cookieHeader())
    const response = await checkingFetch(input, { ...init, headers })
    for (const header of response.headers.getSetCookie()) {
      const [pair = ''] = header.split(';', 1)
      const [name = ''] = pair.split('=', 1)
      if (header.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, pair)
    }
    return response
  }
  const browser: Browser = {
    account_id: null,
    session: null,
    headers: () => ({ cookie: cookieHeader(), 'demarc-csrf': browser.session?.csrf_token ?? '' }),
    client: createDemarcClient({
      base_url,
      retry: false,
      timeout_ms: hang_ms,
      fetch: keepCookie,
      session: { csrf_token: () => browser.session?.csrf_token ?? null, account_id: () => browser.account_id },
    }),
  }
  return browser
}

let people_made = 0

/** A browser signed in as a new person with these roles. */
export async function signedInAs(
  server: TestServer,
  memberships: readonly { account_id: string | null; role: Role }[],
): Promise<Browser & { session: Session }> {
  const email = `person-${++people_made}@people.example`
  await inTransaction(server.db, (tx) =>
    addDemoPerson(
      { ...server.runtime.deps, tx, actor: systemActor('test', null) },
      {
        email,
        name: `Person ${people_made}`,
        time_zone: 'America/New_York',
        story: 'Is there for a test.',
        memberships,
      },
    ),
  )
  const { id } = await server.db.selectFrom('person').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  const browser = newBrowser(server)
  const { data } = (await browser.client.signInAsDemoPerson({ body: { person_id: id } })).body
  return signedInBrowser(browser, data.session)
}

const signedInBrowser = (browser: Browser, session: Session) => Object.assign(browser, { session })

/** The session of a browser that is signed in. */
export async function sessionOf(client: DemarcClient): Promise<Session> {
  return (await client.getSession()).body.data ?? assert.fail('no one is signed in')
}

export const password = 'a long enough password'

/** Invites a person and returns the link's token. */
export async function invited(
  server: TestServer,
  email: string,
  { account_id, role }: { account_id: string | null; role: Role },
): Promise<string> {
  const { deps } = server.runtime
  const { url } = await inTransaction(server.db, (tx) =>
    invite({ ...deps, tx, actor: systemActor('test', account_id) }, server.runtime.config, { email, role }),
  )
  return tokenOf(url)
}

/** Invites a person by mail, as if the service had a relay, and returns the token that only the message would contain. */
export async function invitedByMail(
  server: TestServer,
  email: string,
  { account_id, role }: { account_id: string | null; role: Role },
): Promise<string> {
  const { deps, config } = server.runtime
  const { invitation } = await inTransaction(server.db, (tx) =>
    invite({ ...deps, tx, actor: systemActor('test', account_id) }, { ...config, mail: {} }, { email, role }),
  )
  const { mail_token } = await server.db
    .selectFrom('invitation')
    .select('mail_token')
    .where('id', '=', invitation.id)
    .executeTakeFirstOrThrow()
  return deps.vault.open(mail_token ?? assert.fail('no token'), mailTokenContext)
}

export const tokenOf = (url: string | null): string => url?.split('#')[1] ?? assert.fail(`${url}`)

/**
 * A browser signed in as a person who accepted an invitation and chose the password above. `invites: invitedByMail` makes it one
 * who proved their address.
 */
export async function joined(
  server: TestServer,
  email: string,
  membership: { account_id: string | null; role: Role },
  invites = invited,
): Promise<Browser & { session: Session }> {
  const token = await invites(server, email, membership)
  const browser = newBrowser(server)
  const { data } = (await browser.client.acceptInvitation({ body: { token, name: 'Pat Doe', password } })).body
  assert.ok(data.status === 'signed_in')
  return signedInBrowser(browser, data.session)
}

/**
 * Sends an operation with full rights: with an operator key if keys may use the operation, otherwise with an operator's
 * session.
 */
export async function senderOf(server: TestServer): Promise<(operation: Operation) => Send> {
  const { headers: signed_in } = await signedInAs(server, [{ account_id: null, role: 'operator' }])
  const byKey = wire(server.base_url, server.operator_credentials)
  const bySession: Send = (line, { headers, ...rest } = {}) =>
    wire(server.base_url)(line, { ...rest, headers: { ...signed_in(), ...headers } })
  return (operation) => (needsSession(operation) ? bySession : byKey)
}
