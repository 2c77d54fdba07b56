import { newAccount, someKey, type WriterKind } from '../world.ts'

/** Replaces and revokes an account's calendar link. */
export const calendarLinks: WriterKind = {
  name: 'calendar links',
  operations: ['createPortOrderCalendarLink', 'revokePortOrderCalendarLink'],
  async open(world) {
    const { http, random } = world
    const { keys: by } = await newAccount(world, 'calendar links')
    /** When the valid link was created; null: no link. */
    let made: string | null = null
    /** False from a revocation of unknown outcome until the next count: it may still be done after a later request. */
    let is_known = true

    const create = async () => {
      const outcome = await http.send({ operation: 'createPortOrderCalendarLink', by, key: someKey(random) })
      if (outcome.kind === 'done') made = createdAt(outcome.body)
      if (outcome.kind === 'unknown') is_known = false
    }
    const revoke = async () => {
      if (made === null || !is_known) return await create()
      const outcome = await http.send({ operation: 'revokePortOrderCalendarLink', by })
      if (outcome.kind === 'done') made = null
      if (outcome.kind === 'unknown') is_known = false
    }
    return {
      step: () => random.pick([create, revoke])(),
      async count(findings) {
        const body = await http.read({ operation: 'getPortOrderCalendarLink', by })
        const found = body === null ? null : createdAt(body)
        if (is_known && made !== found) findings.lose(`the calendar link is that of ${found} and not of ${made}`)
        made = found
        is_known = true
      },
    }
  },
}

function createdAt(body: unknown): string {
  const text = /"created_at":"([^"]+)"/.exec(JSON.stringify(body))?.[1]
  if (text === undefined) throw new Error('a calendar link without a time')
  return text
}
