import { documents as api } from '@demarc/client'
import type { Context, Deps } from '../platform/context.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import type { Storage } from '../platform/storage.ts'
import * as actions from './actions.ts'
import { fileDocument, fileResource } from './document.ts'
import * as store from './store.ts'

export const documentRoutes =
  (orders: actions.PortOrderAccess, { outbound, storage }: { outbound: Outbound; storage: Storage }) =>
  (deps: Deps): Binding[] => [
    bind(
      api.requestPortOrderFile,
      async ({ context, params, body }) => {
        const { row, headers } = await actions.requestPull(
          context,
          { orders, outbound, storage },
          params.portorder_id,
          body.url,
        )
        return { body: fileDocument(deps, row, []), headers }
      },
      {
        current: async ({ context, params }, id) => {
          const row = await store.findDocument(context.tx, context.actor, params.portorder_id, id)
          return row ? fileResource(deps, row, await attemptsOf(context, row)).attributes : null
        },
        check: async (_, { url }) => actions.urlErrors(outbound, url),
      },
    ),
    bind(api.listPortOrderFiles, async ({ context, params, query, self }) => {
      const order = await orders.orderForFiles(context, params.portorder_id)
      const page = pageOf(query, 10)
      const rows = await store.listDocuments(context.tx, order, page.fetch)
      const attempts = await store.attemptsOf(context.tx, rows)
      return {
        body: paged(
          self,
          page,
          rows.map((row) => fileResource(deps, row, attempts.get(row.id) ?? [])),
        ),
      }
    }),
    bind(api.getPortOrderFile, async ({ context, params }) => {
      const row = await actions.getDocument(context, params.portorder_id, params.file)
      return { body: fileDocument(deps, row, await attemptsOf(context, row)) }
    }),
    bind(
      api.getPortOrderFileContent,
      async ({ context, params, query }) => await actions.readContent(context, params.portorder_id, params.file, query),
    ),
    bind(api.uploadPortOrderFile, async ({ context, params, stream, headers }) => {
      const { row, created, ...shown } = await actions.uploadDocument(
        context,
        { orders, storage },
        params.portorder_id,
        { name: params.file, stream, content_length: headers['content-length'] },
      )
      return { status: created ? (201 as const) : (200 as const), body: fileDocument(deps, row, []), ...shown }
    }),
  ]

const attemptsOf = async (c: Context, row: store.DocumentRow) => (await store.attemptsOf(c.tx, [row])).get(row.id) ?? []
