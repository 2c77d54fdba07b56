import type { Findings } from '../findings.ts'
import type { Outcome } from '../http.ts'
import { text } from '../json.ts'
import { Model, type Expected } from '../model.ts'
import { password, recordsIn, sessionIn, signInOwner, tokenIn, type Session } from '../people.ts'
import { newMark, someKey, type World, type Writer, type WriterKind } from '../world.ts'

/** Each new person and each sign-in costs a password hash, so only some steps do anything. */
const share = 0.5
/** Above this, people are removed before others join. */
const people_max = 30
/** How many sessions and links of each kind are tried at each count. */
const tried = 5
const roles = ['manager', 'read_only'] as const

/** A session, and whether it still works; `maybe` after it was ended with unknown outcome. */
interface TriedSession extends Session {
  works: 'yes' | 'no' | 'maybe'
}

const ended = { done: 'no', unknown: 'maybe' } as const

export const people: WriterKind = {
  name: 'people',
  operations: [
    'invitePerson',
    'withdrawInvitation',
    'acceptInvitation',
    'changeRole',
    'updatePerson',
    'removePerson',
    'signIn',
    'signOut',
    'endSession',
    'endOtherSessions',
  ],
  open: async (world) => new People(world, await signInOwner(world, 'people')),
}

/** Invites people to an account; they join, sign in and out, change roles and names, and are removed. */
class People implements Writer {
  readonly #world: World
  readonly #owner: Session & { account_id: string }
  readonly #invitations = new Model('invitation')
  readonly #people = new Model('person')
  readonly #tokens = new Map<string, string>()
  #sessions: TriedSession[] = []

  constructor(world: World, owner: Session & { account_id: string }) {
    this.#world = world
    this.#owner = owner
  }

  async step(): Promise<void> {
    const { random } = this.#world
    if (!random.chance(share)) return
    if (this.#people.settled().length > people_max) await this.#remove()
    // without a suitable person, start with an invitation
    if (!(await random.pick(this.#steps)())) await this.#invite()
  }

  /** Each returns false if it finds no suitable person. */
  readonly #steps = [
    () => this.#invite(),
    () => this.#withdraw(),
    () => this.#accept(),
    () => this.#accept(),
    () => this.#remove(),
    () => this.#changeRole(),
    () => this.#rename(),
    () => this.#signIn(),
    () => this.#signOut(),
    () => this.#endAnother(),
    () => this.#endOthers(),
  ]

  async #invite(): Promise<boolean> {
    const { http, random } = this.#world
    const json = { email: `${newMark('person').replace(' ', '-')}@people.example`, role: random.pick(roles) }
    const outcome = await http.send({ operation: 'invitePerson', by: this.#owner.by, json, key: someKey(random) })
    this.#invitations.created(json.email, { role: json.role }, outcome)
    if (outcome.kind === 'done') this.#tokens.set(json.email, tokenIn(outcome.body))
    return true
  }

  async #withdraw(expected = this.#invitations.pick(this.#world.random)): Promise<boolean> {
    if (expected?.id == null) return false
    const params = { invitation_id: expected.id }
    const outcome = await this.#world.http.send({ operation: 'withdrawInvitation', by: this.#owner.by, params })
    this.#invitations.removed(expected, outcome)
    return true
  }

  async #accept(): Promise<boolean> {
    const invitation = this.#invitations.pick(this.#world.random)
    const token = this.#tokens.get(invitation?.mark ?? '')
    if (!invitation || token === undefined) return false
    const json = { token, name: invitation.mark, password }
    const outcome = await this.#world.http.send({ operation: 'acceptInvitation', by: null, json })
    this.#invitations.removed(invitation, outcome)
    if (outcome.kind === 'refused') return true
    const role = invitation.fields.get('role')?.[0]
    const person = this.#people.created(invitation.mark, { role, name: invitation.mark }, outcome)
    if (outcome.kind === 'done') person.id = this.#signedIn(outcome).person_id
    return true
  }

  async #changeRole(): Promise<boolean> {
    const person = this.#people.pick(this.#world.random)
    if (person?.id == null) return false
    const role = this.#world.random.pick(roles)
    const params = { person_id: person.id }
    const outcome = await this.#world.http.send({
      operation: 'changeRole',
      by: this.#owner.by,
      params,
      json: { role },
      key: someKey(this.#world.random),
    })
    this.#people.changed(person, { role }, outcome)
    return true
  }

  async #rename(): Promise<boolean> {
    const session = this.#working()[0]
    const person = this.#personOf(session)
    if (!session || !person) return false
    const name = newMark('name')
    const outcome = await this.#world.http.send({ operation: 'updatePerson', by: session.by, json: { name } })
    this.#people.changed(person, { name }, outcome)
    return true
  }

  async #remove(): Promise<boolean> {
    const person = this.#people.pick(this.#world.random)
    if (person?.id == null) return false
    const params = { person_id: person.id }
    const outcome = await this.#world.http.send({ operation: 'removePerson', by: this.#owner.by, params })
    this.#people.removed(person, outcome)
    this.#end((session) => session.person_id === person.id, outcome)
    return true
  }

  async #signIn(): Promise<boolean> {
    const person = this.#people.pick(this.#world.random)
    if (!person) return false
    const json = { email: person.mark, password }
    const outcome = await this.#world.http.send({ operation: 'signIn', by: null, json })
    if (outcome.kind === 'done') this.#signedIn(outcome)
    return true
  }

  async #signOut(): Promise<boolean> {
    const session = this.#working()[0]
    if (!session) return false
    const outcome = await this.#world.http.send({ operation: 'signOut', by: session.by })
    this.#end((one) => one === session, outcome)
    return true
  }

  async #endAnother(): Promise<boolean> {
    const [session, other] = this.#two()
    if (!session || !other) return await this.#signIn()
    const params = { session_id: other.id }
    const outcome = await this.#world.http.send({ operation: 'endSession', by: session.by, params })
    this.#end((one) => one === other, outcome)
    return true
  }

  async #endOthers(): Promise<boolean> {
    const [session] = this.#two()
    if (!session) return await this.#signIn()
    const outcome = await this.#world.http.send({ operation: 'endOtherSessions', by: session.by })
    this.#end((one) => one !== session && one.person_id === session.person_id, outcome)
    return true
  }

  #signedIn(outcome: Outcome & { kind: 'done' }): Session {
    const session = sessionIn(outcome)
    this.#sessions.push({ ...session, works: 'yes' })
    return session
  }

  /** Sessions that certainly work, of people who certainly exist. */
  #working(): TriedSession[] {
    return this.#sessions.filter((session) => session.works === 'yes' && this.#personOf(session) !== undefined)
  }

  /** Two sessions of one person. */
  #two(): TriedSession[] {
    const working = this.#working()
    const by_person = Map.groupBy(working, ({ person_id }) => person_id)
    return [...by_person.values()].find((sessions) => sessions.length > 1) ?? []
  }

  #personOf(session: Session | undefined): Expected | undefined {
    return session && this.#people.settled().find(({ id }) => id === session.person_id)
  }

  #end(which: (session: TriedSession) => boolean, outcome: Outcome): void {
    for (const session of this.#sessions)
      if (outcome.kind !== 'refused' && session.works !== 'no' && which(session)) session.works = ended[outcome.kind]
  }

  async count(findings: Findings): Promise<void> {
    const by = this.#owner.by
    const { http } = this.#world
    const query = { limit: 200 }
    const found = recordsIn(await http.read({ operation: 'listPeople', by, query }))
      .map(({ id, email, role, name }) => ({ id: text(id), mark: text(email), fields: { role, name } }))
      .filter(({ mark }) => mark !== this.#owner.email)
    this.#people.compare(found, findings)
    const open = recordsIn(await http.read({ operation: 'listInvitations', by, query }))
    this.#invitations.compare(
      open.map(({ id, email, role }) => ({ id: text(id), mark: text(email), fields: { role } })),
      findings,
    )
    await this.#trySessions()
    await this.#tryLinks()
    await this.#checkEvents(findings)
    // the clock moves by days after each count, and an invitation is valid for seven
    for (const invitation of this.#invitations.settled()) await this.#withdraw(invitation)
  }

  /** Sessions whose end was acknowledged stay ended, and all others still work. */
  async #trySessions(): Promise<void> {
    for (const works of ['yes', 'no'] as const)
      for (const { by } of this.#sessions.filter((session) => session.works === works).slice(-tried))
        await this.#world.http.send({
          operation: 'listSessions',
          by,
          ...(works === 'no' ? { refused_with: [401] } : {}),
        })
    this.#sessions = this.#sessions.filter(({ works }) => works === 'yes')
  }

  /** A used or withdrawn link no longer works. */
  async #tryLinks(): Promise<void> {
    const spent = this.#invitations.all().filter(({ there, mark }) => there === 'no' && this.#tokens.has(mark))
    for (const { mark } of spent.slice(-tried)) {
      const json = { token: this.#tokens.get(mark) }
      await this.#world.http.send({ operation: 'lookUpInvitation', by: null, json, refused_with: [404] })
    }
  }

  /** The audit log has each join and each removal once. */
  async #checkEvents(findings: Findings): Promise<void> {
    const rows = await this.#world.database.rows<{ type: string; subject_id: string }>(
      `select type, subject_id from event where chain_id = $1 and type in ('membership.created', 'membership.removed')`,
      [this.#owner.account_id],
    )
    const events = rows.map(({ type, subject_id }) => `${type} ${subject_id}`).toSorted()
    const known = this.#people.all().filter(({ id }) => id !== null)
    const wanted = [
      `membership.created ${this.#owner.person_id}`,
      ...known.map(({ id }) => `membership.created ${id}`),
      ...known.filter(({ there }) => there === 'no').map(({ id }) => `membership.removed ${id}`),
    ].toSorted()
    findings.expect(
      events.join() === wanted.join(),
      `the audit log has of people ${events.join(', ')} and must have ${wanted.join(', ')}`,
    )
  }
}
