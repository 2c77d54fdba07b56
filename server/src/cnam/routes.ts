import { cnams as api } from '@demarc/client'
import { accountNames } from '../accounts/index.ts'
import type { Context, Deps } from '../platform/context.ts'
import { bind, type Routes } from '../platform/http/binding.ts'
import { streamedList } from '../platform/http/streamed-list.ts'
import * as actions from './actions.ts'
import { cnamAttributes, cnamDocument, cnamResource, type CnamWithAccount } from './document.ts'
import { listedNumbers_max } from './rules.ts'
import * as store from './store.ts'

export const cnamRoutes =
  (numbers: actions.NumbersOfCnams): Routes =>
  (deps) => {
    const shown = async (c: Context, row: store.CnamRow) => {
      const listed = await numbers.numbersOf(c.tx, row, listedNumbers_max)
      return { body: cnamDocument(deps, await withAccountName(c, row), listed) }
    }
    const current = async ({ context }: { context: Context }, id: string) =>
      await attributesOf(deps, context, await actions.requireCnam(context, id))
    return [
      bind(api.listCnams, async ({ context, query: { limit, offset = 0, ...filter }, self }) => ({
        stream: await streamedList({
          self,
          limit,
          offset,
          fetch: async (page) =>
            withAccountNames(context, await store.listCnams(context.tx, context.actor, { ...filter, ...page })),
          show: (row) => cnamResource(deps, row),
        }),
      })),
      bind(api.getCnam, async ({ context, params }) =>
        shown(context, await actions.requireCnam(context, params.cnam_id)),
      ),
      bind(api.createCnam, async ({ context, body }) => shown(context, await actions.createCnam(context, body.value)), {
        current: async ({ context }, id) => {
          const row = await store.findCnam(context.tx, context.actor, id)
          return row ? await attributesOf(deps, context, row) : null
        },
        check: ({ context }, { value }) => actions.valueErrors(context, value),
      }),
      bind(
        api.updateCnam,
        async ({ context, params, body }) =>
          shown(context, await actions.updateCnam(context, params.cnam_id, body.value)),
        {
          current,
          check: async ({ context, params }, { value }) =>
            actions.valueErrors(context, value, await actions.requireCnam(context, params.cnam_id)),
        },
      ),
      bind(api.deleteCnam, async ({ context, params }) => {
        await actions.deleteCnam(context, params.cnam_id, numbers.clearFromNumbers)
        return { body: undefined }
      }),
      bind(
        api.decideCnam,
        async ({ context, params, body }) =>
          shown(context, await actions.decideCnam(context, params.cnam_id, body, numbers.clearFromNumbers)),
        {
          current,
          check: async ({ context, params }, { is_approved, rejection_reason }, failing) =>
            is_approved === undefined || failing.has('rejection_reason')
              ? {}
              : await actions.decisionFieldErrors(context, params.cnam_id, { is_approved, rejection_reason }),
        },
      ),
    ]
  }

const attributesOf = async (deps: Deps, c: Context, row: store.CnamRow) =>
  cnamAttributes(deps, await withAccountName(c, row))

/** Adds account names for the operator, who needs them to decide whether a name may be used. */
async function withAccountNames({ tx, actor }: Context, rows: readonly store.CnamRow[]): Promise<CnamWithAccount[]> {
  if (actor.kind !== 'operator') return [...rows]
  const names = await accountNames(tx, [...new Set(rows.map((r) => r.account_id))])
  return rows.map((row) => ({ ...row, account_name: names.get(row.account_id) }))
}

async function withAccountName(c: Context, row: store.CnamRow): Promise<CnamWithAccount> {
  const [named] = await withAccountNames(c, [row])
  return named ?? row
}
