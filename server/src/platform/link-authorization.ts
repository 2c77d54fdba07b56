import { systemActor } from './actor.ts'
import type { Context } from './context.ts'
import { problem } from './problem.ts'

/**
 * The context of a request for a file with signed links. With a link, the actor is the account that the link names, whatever
 * key came with it; without one, the signed-in actor. `thing` names the link's target in messages. Throws 410 for an expired
 * link and 401 for one this service did not sign.
 */
export function authorizeLink(
  c: Context,
  { subject, id, thing }: { subject: string; id: string; thing: string },
  query: Record<string, string | undefined>,
): Context {
  // a request without a key can only use a link, even if its parameters are incomplete
  if (c.actor.kind !== 'system' && query['signature'] === undefined) return c
  const checked = c.links.checkLink(query, { subject, id }, c.clock.now())
  if (checked.outcome === 'expired') throw problem('gone', `This link has expired. Get a new one from the ${thing}.`)
  if (checked.outcome === 'invalid')
    throw problem(
      'unauthorized',
      `Authentication failed. This link is not complete; use download_url exactly as given in the ${thing}.`,
    )
  return { ...c, actor: systemActor('link', checked.account_id) }
}
