/** The public API of people: who is signed in, and who belongs to an account. */
export { addDemoPerson, type DemoPerson } from './demo.ts'
export { invite, inviteOperator } from './invitations/actions.ts'
export { countUnmailedInvitations } from './invitations/store.ts'
export { listMembers, peopleByAccount, type Member } from './members/store.ts'
export { byKeyOrSession } from './sessions/authenticate.ts'
export { signedIn } from './sessions/actor.ts'
export { findPerson, namedPeople, type NamedPerson } from './store.ts'
