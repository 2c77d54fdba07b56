import type { IncomingHttpHeaders } from 'node:http'
import { people as api } from '@demarc/client'
import type { Context, Deps } from '../../platform/context.ts'
import { bind, type Binding } from '../../platform/http/binding.ts'
import { timeText } from '../../platform/clock.ts'
import type { PeopleDependencies } from '../dependencies.ts'
import * as actions from './actions.ts'
import { signedIn } from './actor.ts'
import { liveSession } from './authenticate.ts'
import { endedSessionCookie, sessionTokenIn } from './cookie.ts'
import * as store from './store.ts'

export const currentSession = (c: Context, dependencies: PeopleDependencies, headers: IncomingHttpHeaders) =>
  // the request was authenticated by this cookie
  actions.sessionDocument(c, dependencies, signedIn(c), sessionTokenIn(headers.cookie, c.public_url) ?? '')

export const sessionRoutes =
  (dependencies: PeopleDependencies) =>
  (deps: Deps): Binding[] => [
    bind(api.getSession, async ({ context, headers }) => {
      const token = sessionTokenIn(headers.cookie, context.public_url)
      const session = token === null ? undefined : await liveSession(context, token)
      if (token === null || !session) return { body: { data: null } }
      const person = { id: session.person_id, session_id: session.id }
      return { body: { data: await actions.sessionDocument(context, dependencies, person, token) } }
    }),
    bind(api.signOut, async ({ context }) => {
      await actions.signOut(context)
      return { body: undefined, headers: { 'set-cookie': endedSessionCookie(deps.public_url) } }
    }),
    bind(api.listSessions, async ({ context }) => {
      const { id, session_id } = signedIn(context)
      const rows = await store.listSessions(context.tx, id)
      return { body: { data: rows.map((row) => shownSession(row, session_id)) } }
    }),
    bind(api.endSession, async ({ context, params }) => {
      await actions.endSession(context, params.session_id)
      return { body: undefined }
    }),
    bind(api.endOtherSessions, async ({ context }) => {
      await actions.endOtherSessions(context)
      return { body: undefined }
    }),
  ]

const shownSession = (row: store.SessionRow, current: string) => ({
  id: row.id,
  is_current: row.id === current,
  method: row.method,
  remote_ip: row.remote_ip,
  user_agent: row.user_agent,
  started_at: timeText(row.started_at),
  last_used_at: timeText(row.last_used_at),
  idle_expires_at: timeText(row.idle_expires_at),
  expires_at: timeText(row.expires_at),
})
