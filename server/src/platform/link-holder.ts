import { systemActor } from './actor.ts'
import type { Context } from './context.ts'
import { problem } from './problem.ts'

/**
 * Who asks for a file that a signed link may lead to. With a link, whatever key came along, the account that the link
 * names; without one, whoever signed in. `thing` is what the link is of, in a word. Throws 410 for a link whose time is
 * over, 401 for one that we did not sign.
 */
export function linkHolder(
  c: Context,
  { subject, id, thing }: { subject: string; id: string; thing: string },
  query: Record<string, string | undefined>,
): Context {
  // without a key the request came by a link, whatever is left of it
  if (c.actor.kind !== 'system' && query['signature'] === undefined) return c
  const checked = c.links.checkLink(query, { subject, id }, c.clock.now())
  if (checked.verdict === 'expired') throw problem('gone', `This link has expired. Get a new one from the ${thing}.`)
  if (checked.verdict === 'bad')
    throw problem(
      'unauthorized',
      `Authentication failed. This link is not complete; use download_url as it stands in the ${thing}.`,
    )
  return { ...c, actor: systemActor('link', checked.account_id) }
}
