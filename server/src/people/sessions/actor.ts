import { noAccount, type Actor, type SignedInPerson } from '../../platform/actor.ts'

/** The actor recorded while a person is signing in. */
export const personActor = (id: string, session_id = ''): Actor => ({
  kind: 'person',
  account_id: noAccount,
  role: null,
  person: { id, session_id },
})

/** The person of a request that requires a session. */
export function signedIn({ actor }: { actor: Actor }): SignedInPerson {
  if (!actor.person) throw new Error('only people with a session may use the operation')
  return actor.person
}
