import { people as api } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import { paged, pageOf } from '../../platform/http/pages.ts'
import { timeText } from '../../platform/clock.ts'
import * as actions from './actions.ts'
import * as store from './store.ts'

export const memberRoutes = (): Binding[] => [
  bind(api.listPeople, async ({ context, query, self }) => {
    const page = pageOf(query, 100)
    const members = await store.listMembers(context.tx, context.actor.account_id, page.fetch)
    return { body: paged(self, page, members.map(person)) }
  }),
  bind(api.changeRole, async ({ context, params, body }) => ({
    body: { data: person(await actions.changeRole(context, params.person_id, body.role)) },
  })),
  bind(api.removePerson, async ({ context, params }) => {
    await actions.removePerson(context, params.person_id)
    return { body: undefined }
  }),
]

const person = ({ member_since, last_signed_in_at, email_proven_at, ...member }: store.Member) => ({
  ...member,
  email_proven_at: timeText(email_proven_at),
  member_since: timeText(member_since),
  last_signed_in_at: timeText(last_signed_in_at),
})
