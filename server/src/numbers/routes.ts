import { e911, e911Coverage, numberChanges, numbers as api } from '@demarc/client'
import { requireAddress } from '../e911/index.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { bind, type Binding, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import * as actions from './actions.ts'
import { changeFieldErrors, changeNumbers } from './change-many.ts'
import { coverageDocument } from './coverage.ts'
import { changeResultsDocument, numberAttributes, numberDocument, numberLink, numberResource } from './document.ts'
import * as store from './store.ts'

type MinLevel = Parameters<typeof coverageDocument>[2]

export const numberRoutes =
  ({ config }: { config: { e911: { min_level: MinLevel } } }): Routes =>
  (deps) => {
    const documentOf = documentIn(deps)
    return [
      bind(api.listNumbers, async ({ context, query: { limit, offset, ...filter }, self }) => {
        const page = pageOf({ limit, offset }, 10)
        const rows = await store.listNumbers(context.tx, context.actor, filter, page.fetch)
        return {
          body: paged(
            self,
            page,
            rows.map((row) => numberResource(deps, row)),
          ),
        }
      }),
      bind(api.getNumber, async ({ context, params }) => documentOf(context, params.number)),
      bind(
        api.updateNumber,
        async ({ context, params, body }) => {
          await actions.updateNumber(context, params.number, body)
          return documentOf(context, params.number)
        },
        { current: async ({ context }, value) => numberAttributes(await actions.requireNumber(context, value)) },
      ),
      bind(
        numberChanges.updateNumbers,
        async ({ context, query, body }) => {
          const { mode = 'all_or_none', numbers } = body
          const options = { mode, dry_run: query.dry_run === true }
          return { body: changeResultsDocument(await changeNumbers(context, numbers, options), options) }
        },
        { check: ({ context }, { numbers = [] }) => changeFieldErrors(context, numbers) },
      ),
      ...relationshipBindings(deps),
      bind(e911.listE911Numbers, async ({ context, params, query, self }) => {
        const page = pageOf(query, 10)
        const address = await requireAddress(context, params.e911_id)
        const rows = await store.listNumbersByE911(context.tx, address, page.fetch)
        const data = rows.map(({ value, alias }) => ({
          type: 'number' as const,
          id: value,
          attributes: { alias, value },
          links: { self: numberLink(deps, value) },
        }))
        return { body: paged(self, page, data) }
      }),
      bind(e911Coverage.listE911Coverage, async ({ context, query: { limit, offset, gap }, self }) => {
        const page = pageOf({ limit, offset }, 10)
        return { body: await coverageDocument(context, deps, config.e911.min_level, { self, page, gap }) }
      }),
      bind(
        api.addNumbers,
        async ({ context, params, body }) => {
          const created = await actions.addNumbers(context, params.account_id, body.numbers)
          return { body: { data: created.map((row) => numberResource(deps, row)) } }
        },
        { check: ({ context }, { numbers = [] }) => actions.newNumberFieldErrors(context, numbers) },
      ),
    ]
  }

const documentIn = (deps: Deps) => async (context: Context, value: string) => ({
  body: numberDocument(deps, await actions.requireNumber(context, value)),
})

function relationshipBindings(deps: Deps): Binding[] {
  const documentOf = documentIn(deps)
  return [
    bind(api.setPrimaryRoute, setVoiceRoute('primary'), { check: checkVoiceRoute }),
    bind(api.setFailoverRoute, setVoiceRoute('failover'), { check: checkVoiceRoute }),
    bind(api.assignCnam, async ({ context, params }) => {
      await actions.assignCnam(context, params.number, params.cnam_id)
      return documentOf(context, params.number)
    }),
    bind(api.unassignCnam, async ({ context, params }) => {
      await actions.unassignCnam(context, params.number)
      return documentOf(context, params.number)
    }),
    bind(api.assignE911, async ({ context, params }) => {
      await actions.assignE911(context, params.number, params.e911_id)
      return { body: undefined }
    }),
    bind(api.unassignE911, async ({ context, params }) => {
      await actions.unassignE911(context, params.number)
      return { body: undefined }
    }),
  ]
}

interface RouteRequest<C> {
  context: C
  params: { number: string }
}

const setVoiceRoute =
  (role: 'primary' | 'failover') =>
  async ({ context, params, body }: RouteRequest<WriteContext> & { body: { id: string | null } }) => {
    throwIfInvalid(idError(await actions.setVoiceRoute(context, params.number, role, body.id)))
    return { body: undefined }
  }

const checkVoiceRoute = async (
  { context, params }: RouteRequest<Context>,
  { id = null }: { id?: string | null | undefined },
) => idError(await actions.assignedVoiceRouteError(context, params.number, id))

const idError = (error: string | null): Record<string, string[]> => (error === null ? {} : { id: [error] })
