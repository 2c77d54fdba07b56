import { portouts as api } from '@demarc/client'
import type { Deps } from '../../platform/context.ts'
import { bind, type Binding } from '../../platform/http/binding.ts'
import { paged, pageOf } from '../../platform/http/pages.ts'
import * as actions from './actions.ts'
import { portoutDocument, portoutResource } from './document.ts'
import * as store from './store.ts'

export const portoutBindings = (deps: Deps): Binding[] => [
  bind(api.listPortouts, async ({ context, query: { limit, offset, ...filter }, self }) => {
    const page = pageOf({ limit, offset }, 10)
    const rows = await store.listPortouts(context.tx, context.actor, {
      status: filter.status,
      account_id: filter.account_id,
      number: filter.number,
      ...page.fetch,
    })
    const data = rows.map((row) => portoutResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(api.getPortout, async ({ context, params }) => ({
    body: portoutDocument(deps, await actions.getPortout(context, params.portout_id)),
  })),
  bind(api.respondToPortout, async ({ context, params, body }) => ({
    body: portoutDocument(deps, await actions.respondToPortout(context, params.portout_id, body)),
  })),
  bind(api.createPortout, async ({ context, body }) => ({
    body: portoutDocument(deps, await actions.createPortout(context, body)),
  })),
  bind(api.changePortout, async ({ context, params, body }) => ({
    body: portoutDocument(deps, await actions.changePortout(context, params.portout_id, body)),
  })),
]
