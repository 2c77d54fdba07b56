import { cnams as api } from '@demarc/client'
import { accountNames } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { bind, link, type Routes } from '../platform/http/binding.ts'
import { streamedList } from '../platform/http/streamed-list.ts'
import * as actions from './actions.ts'
import { cnamPath } from './document.ts'
import { expectedDays } from './rules.ts'
import * as store from './store.ts'

export const cnamRoutes =
  (clearFromNumbers: actions.ClearCnamFromNumbers): Routes =>
  (deps) => {
    const cnam = (row: CnamWithAccount) => ({
      type: 'cnam' as const,
      id: row.id,
      attributes: {
        value: row.value,
        is_approved: row.is_approved,
        approval_datetime: row.approved_at?.toISOString() ?? null,
        creation_datetime: row.created_at.toISOString(),
        rejection_reason: row.rejection_reason,
        ...expectedDays(row.approved_at, deps.time_zone),
        ...(row.account_name === undefined ? {} : { account_id: row.account_id, account_name: row.account_name }),
      },
      links: { self: link(deps, cnamPath(row.id)) },
    })
    const documentOf = async (c: Context, row: store.CnamRow) => {
      const [data] = (await withAccountName(c, [row])).map(cnam)
      if (!data) throw new Error('one record is shown as one')
      return { body: { data, links: data.links } }
    }
    return [
      bind(api.listCnams, async ({ context, query: { limit, offset = 0, ...filter }, self }) => ({
        stream: await streamedList({
          self,
          limit,
          offset,
          fetch: async (page) =>
            withAccountName(context, await store.listCnams(context.tx, context.actor, filter, page)),
          show: cnam,
        }),
      })),
      bind(api.getCnam, async ({ context, params }) =>
        documentOf(context, await actions.requireCnam(context, params.cnam_id)),
      ),
      bind(api.createCnam, async ({ context, body }) =>
        documentOf(context, await actions.createCnam(context, body.value)),
      ),
      bind(api.updateCnam, async ({ context, params, body }) =>
        documentOf(context, await actions.updateCnam(context, params.cnam_id, body.value)),
      ),
      bind(api.deleteCnam, async ({ context, params }) => {
        await actions.deleteCnam(context, params.cnam_id, clearFromNumbers)
        return { body: undefined }
      }),
      bind(api.decideCnam, async ({ context, params, body }) =>
        documentOf(context, await actions.decideCnam(context, params.cnam_id, decisionOf(body), clearFromNumbers)),
      ),
    ]
  }

/** A record, with the name of its account where the response shows it. */
type CnamWithAccount = store.CnamRow & { account_name?: string | undefined }

/** Adds the names of the accounts for the operator, who needs them to decide whether a name may be used. */
async function withAccountName({ tx, actor }: Context, rows: readonly store.CnamRow[]): Promise<CnamWithAccount[]> {
  if (actor.kind !== 'operator') return [...rows]
  const names = await accountNames(tx, [...new Set(rows.map((r) => r.account_id))])
  return rows.map((row) => ({ ...row, account_name: names.get(row.account_id) }))
}

/** The operation's shape lets no rejection through without a reason. */
function decisionOf(body: { is_approved: boolean; rejection_reason?: string | null | undefined }): actions.Decision {
  const { is_approved, rejection_reason } = body
  return is_approved ? { is_approved } : { is_approved, rejection_reason: rejection_reason ?? '' }
}
