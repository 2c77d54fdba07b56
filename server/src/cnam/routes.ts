import { cnams as api } from '@demarc/client'
import { bind, link, type Routes } from '../platform/http/binding.ts'
import { streamedList } from '../platform/http/streamed-list.ts'
import * as actions from './actions.ts'
import { cnamPath } from './document.ts'
import { expectedDays } from './rules.ts'
import * as store from './store.ts'

export const cnamRoutes =
  (takeOff: actions.TakeOff): Routes =>
  (deps) => {
    const cnam = (row: store.CnamRow) => ({
      type: 'cnam' as const,
      id: row.id,
      attributes: {
        value: row.value,
        is_approved: row.is_approved,
        approval_datetime: row.approved_at?.toISOString() ?? null,
        creation_datetime: row.created_at.toISOString(),
        rejection_reason: row.rejection_reason,
        ...expectedDays(row.approved_at, deps.time_zone),
      },
      links: { self: link(deps, cnamPath(row.id)) },
    })
    const shown = (row: store.CnamRow) => {
      const data = cnam(row)
      return { data, links: data.links }
    }
    return [
      bind(api.listCnams, async ({ context: { tx, actor }, query: { limit, offset = 0, ...filter }, self }) => ({
        stream: await streamedList({
          self,
          limit,
          offset,
          fetch: (page) => store.listCnams(tx, actor, filter, page),
          show: cnam,
        }),
      })),
      bind(api.getCnam, async ({ context, params }) => ({
        body: shown(await actions.requireCnam(context, params.cnam_id)),
      })),
      bind(api.createCnam, async ({ context, body }) => ({
        body: shown(await actions.createCnam(context, body.value)),
      })),
      bind(api.updateCnam, async ({ context, params, body }) => ({
        body: shown(await actions.updateCnam(context, params.cnam_id, body.value)),
      })),
      bind(api.deleteCnam, async ({ context, params }) => {
        await actions.deleteCnam(context, params.cnam_id, takeOff)
        return { body: undefined }
      }),
      bind(api.decideCnam, async ({ context, params, body }) => ({
        body: shown(await actions.decideCnam(context, params.cnam_id, decisionOf(body), takeOff)),
      })),
    ]
  }

/** The operation's shape lets no rejection through without a reason. */
function decisionOf(body: { is_approved: boolean; rejection_reason?: string | null | undefined }): actions.Decision {
  const { is_approved, rejection_reason } = body
  return is_approved ? { is_approved } : { is_approved, rejection_reason: rejection_reason ?? '' }
}
