import { cdrIngests, cdrs as api, cdrSummary } from '@demarc/client'
import type { Context, Deps } from '../platform/context.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import type { Storage } from '../platform/storage.ts'
import * as actions from './actions.ts'
import { exportDocument, exportResource } from './document.ts'
import type { IngestReport, Warehouse } from '../engines/call-records/index.ts'
import { ingest, ingestResource, readRefused, summarizeIngests } from './ingest.ts'
import { listIngests } from './ingest-store.ts'
import { recount } from './ledger.ts'
import * as store from './store.ts'
import { sample, summarize } from './summary.ts'

interface Dependencies {
  warehouse: Warehouse
  outbound: Outbound
  storage: Storage
}

export const cdrRoutes =
  (dependencies: Dependencies) =>
  (deps: Deps): Binding[] => [...exportRoutes(dependencies)(deps), ...callRoutes(dependencies)]

const exportRoutes =
  ({ warehouse, outbound, storage }: Dependencies) =>
  (deps: Deps): Binding[] => [
    bind(
      api.createCdrExport,
      async ({ context, body }) => {
        const { row, headers } = await actions.createExport(context, { outbound, storage }, body)
        return { body: exportDocument(deps, row), headers }
      },
      {
        current: currentExport(deps),
        check: async (_, { callback_url }) => actions.checkCallback(outbound, callback_url),
      },
    ),
    bind(api.listCdrExports, async ({ context, query, self }) => {
      const page = pageOf(query, 10)
      const rows = await store.listExports(context.tx, context.actor, { status: query.status, ...page.fetch })
      return {
        body: paged(
          self,
          page,
          rows.map((row) => exportResource(deps, row)),
        ),
      }
    }),
    bind(api.getCdrExport, async ({ context, params }) => ({
      body: exportDocument(deps, await actions.getExport(context, params.export_id)),
    })),
    bind(
      api.getCdrExportFile,
      async ({ context, params, query, headers }) =>
        await actions.readFile(context, params.export_id, query, {
          range: headers.range,
          if_range: headers['if-range'],
        }),
    ),
    bind(
      api.estimateCdrExport,
      async ({ context, body }) => ({
        body: {
          data: { type: 'cdrexport_estimate' as const, attributes: await actions.estimate(context, warehouse, body) },
        },
      }),
      { current: currentExport(deps) },
    ),
  ]

const nothingStored = ({ accepted, duplicates, rejected }: IngestReport) => rejected > 0 && accepted + duplicates === 0
const nothing_stored =
  'Nothing was stored: every record was rejected. Correct the records as errors says, and send them again.'

const callRoutes = ({ warehouse }: Pick<Dependencies, 'warehouse'>): Binding[] => [
  bind(cdrSummary.summarizeCdrs, async ({ context, body }) => ({
    body: { data: { type: 'cdrsummary' as const, attributes: await summarize(context, warehouse, body) } },
  })),
  bind(cdrSummary.sampleCdrs, async ({ context, body }) => ({
    body: { data: await sample(context, warehouse, body) },
  })),
  bind(api.ingestCdrs, async ({ context, query, stream, headers }) => {
    const data = await ingest(context, warehouse, {
      stream,
      content_type: headers['content-type'] ?? '',
      ...(headers['content-encoding'] === undefined ? {} : { content_encoding: headers['content-encoding'] }),
      ...(query.mapping === undefined ? {} : { mapping: query.mapping }),
      ...(query.account_id === undefined ? {} : { account_id: query.account_id }),
    })
    return { body: { data, ...(nothingStored(data) ? { meta: { message: nothing_stored } } : {}) } }
  }),
  bind(cdrIngests.listCdrIngests, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const rows = await listIngests(context.tx, { outcome: query.outcome, ...page.fetch })
    return { body: paged(self, page, rows.map(ingestResource)) }
  }),
  bind(cdrIngests.getCdrIngestSummary, async ({ context }) => ({ body: { data: await summarizeIngests(context) } })),
  bind(cdrIngests.recountCdrs, async ({ context, body }) => ({
    body: { data: { type: 'cdr_recount' as const, attributes: await recount(context, warehouse, body) } },
  })),
  bind(cdrIngests.getRefusedCdrs, ({ context, params }) => readRefused(context, params.ingest_id)),
]

/** The attributes of an export as its document shows them. */
const currentExport =
  (deps: Deps) =>
  async ({ context }: { context: Context }, id: string) => {
    const row = await store.findExport(context.tx, context.actor, id)
    return row ? exportResource(deps, row).attributes : null
  }
