import { retention as api } from '@demarc/client'
import { requireAccount, type Authentication } from '../accounts/index.ts'
import { timeText } from '../platform/clock.ts'
import type { Deps } from '../platform/context.ts'
import { bind, link, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import * as actions from './actions.ts'
import type { Periods } from './class-store.ts'
import { planDue, type DueClass, type DueRows } from './due-store.ts'

export const retentionRoutes =
  ({ config }: { config: { periods: Periods } }, { invalidate }: Pick<Authentication, 'invalidate'>) =>
  (deps: Deps): Binding[] => [
    bind(api.closeAccount, async ({ context, params: { account_id } }) => {
      await actions.closeAccount(context, account_id, invalidate)
      const { closed_at } = await requireAccount(context, account_id)
      return { body: { data: { account_id, closed_at: timeText(closed_at) } } }
    }),
    bind(api.setLegalHold, async ({ context, params: { account_id }, body }) => {
      await actions.setLegalHold(context, account_id, body)
      const { held_at, hold_reason, held_by } = await requireAccount(context, account_id)
      return { body: { data: { account_id, held_at: timeText(held_at), hold_reason, held_by } } }
    }),
    bind(api.planRetention, async ({ context, query, self }) => {
      const page = pageOf(query, 100)
      const { limit, offset } = page.fetch
      const now = context.clock.now()
      const { due, classes } = await planDue(context.tx, config.periods, {
        now,
        account_id: query.account_id,
        limit: limit + offset,
      })
      return {
        body: {
          ...paged(
            self,
            page,
            due.slice(offset, offset + limit).map((rows) => planned(deps, rows)),
          ),
          meta: { classes: classes.map(summarized) },
        },
      }
    }),
    bind(api.runRetention, async ({ context }) => ({
      body: { data: { requested_at: timeText(await actions.requestRun(context)) } },
    })),
    bind(api.getPersonalData, async ({ context, params }) => ({
      body: { data: reported(await actions.reportPersonalData(context, params.account_id)) },
    })),
    bind(api.deletePersonalData, async ({ context, params: { account_id }, body: { confirm } }) => ({
      body: { data: reported(await actions.requestPersonalDataDeletion(context, account_id, confirm)) },
    })),
  ]

const planned = (deps: Deps, { account_id, count, oldest_at, ...rows }: DueRows) => ({
  type: 'retention_plan' as const,
  id: `${rows.class}:${account_id ?? 'all'}`,
  attributes: { ...rows, account_id, count: Number(count), oldest_at: timeText(oldest_at) },
  links: { self: link(deps, `/operator/retention${account_id === null ? '' : `?account_id=${account_id}`}`) },
})

const summarized = ({ cutoff_at, count, ...each }: DueClass) => ({
  ...each,
  cutoff_at: timeText(cutoff_at),
  count: Number(count),
})

const reported = ({ deletion, ...report }: actions.PersonalDataReport) => ({
  ...report,
  requested_at: timeText(deletion?.requested_at ?? null),
  requested_by: deletion?.requested_by ?? null,
  completed_at: timeText(deletion?.completed_at ?? null),
})
