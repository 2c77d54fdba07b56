import { people as api } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import type { Deps } from '../../platform/context.ts'
import { paged, pageOf } from '../../platform/http/pages.ts'
import { timeText } from '../../platform/clock.ts'
import type { PeopleDependencies } from '../dependencies.ts'
import { browserOf, signInResponse } from '../sign-in/routes.ts'
import * as actions from './actions.ts'
import * as store from './store.ts'

export const invitationRoutes =
  (dependencies: PeopleDependencies) =>
  (deps: Deps): Binding[] => [
    bind(api.listInvitations, async ({ context, query, self }) => {
      const page = pageOf(query, 100)
      const { tx, actor, clock } = context
      const rows = await store.listInvitations(tx, actor.account_id, clock.now(), page.fetch)
      return { body: paged(self, page, rows.map(shown)) }
    }),
    bind(api.invitePerson, async ({ context, body }) => {
      const { invitation, url } = await actions.invite(context, dependencies.config, body)
      return { body: { data: { ...shown(invitation), url } } }
    }),
    bind(api.withdrawInvitation, async ({ context, params }) => {
      await actions.withdraw(context, params.invitation_id)
      return { body: undefined }
    }),
    bind(api.lookUpInvitation, async ({ context, body }) => ({
      body: { data: await actions.describe(context, dependencies, body.token) },
    })),
    bind(api.acceptInvitation, async (request) =>
      signInResponse(deps, await actions.accept(request.context, dependencies, request.body, browserOf(request, deps))),
    ),
  ]

const shown = ({ id, email, role, invited_by, created_at, expires_at, mail }: store.InvitationRow) => ({
  id,
  email,
  role,
  invited_by,
  mail_status: mail === 'due' ? ('waiting' as const) : mail,
  created_at: timeText(created_at),
  expires_at: timeText(expires_at),
})
