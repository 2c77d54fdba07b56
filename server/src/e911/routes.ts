import {
  e911 as api,
  e911Datasets as datasetApi,
  e911LevelHeader,
  e911Validations as validationApi,
} from '@demarc/client'
import type { Context, Deps } from '../platform/context.ts'
import { bind, bindPrepared, link, type Binding, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import type { Storage } from '../platform/storage.ts'
import { timeText } from '../platform/clock.ts'
import * as actions from './actions.ts'
import * as addresses from './store.ts'
import * as datasets from './datasets/actions.ts'
import * as streetData from '../engines/street-data/index.ts'
import { e911Attributes, e911Path, e911Resource, presentLocation } from './document.ts'
import { validationDocument } from './bulk/document.ts'
import * as validations from './bulk/actions.ts'
import type { Validator } from '../engines/addresses/index.ts'

const pidf = 'application/pidf+xml'

export const e911Routes =
  ({ e911: validator, storage }: { e911: Validator; storage: Storage }): Routes =>
  (deps) => [...addressBindings(deps, validator), ...validationBindings(deps, storage), ...datasetBindings(deps)]

const addressDocument = (deps: Deps, row: addresses.AddressRow) => {
  const data = e911Resource(deps, row)
  return { body: { data, links: data.links } }
}

/** For operations without an address in the path: a body copied from a response names the address by `data.id`. */
const newAddressChecks = {
  current: async ({ context }: { context: Context }, id: string) => {
    const row = await addresses.findAddress(context.tx, context.actor, id)
    return row ? e911Attributes(row) : null
  },
  check: ({ context }: { context: Context }, valid: api.E911Change, failing: ReadonlySet<string>) =>
    actions.fieldErrors(context, valid, failing),
}

const addressBindings = (deps: Deps, validator: Validator): Binding[] => [
  bind(
    api.validateE911,
    async ({ context, body }) => {
      const { accepted } = await actions.validate(context, validator, body)
      return { body: undefined, headers: { [e911LevelHeader]: accepted.level } }
    },
    newAddressChecks,
  ),
  bindPrepared(
    api.createE911,
    ({ context, body }) => actions.validate(context, validator, body),
    async ({ context }, validated) => addressDocument(deps, await actions.createAddress(context, validated)),
    newAddressChecks,
  ),
  bind(api.listE911s, async ({ context, query: { limit, offset, ...filter }, self }) => {
    const page = pageOf({ limit, offset }, 10)
    const active = filter.recheck_due === undefined ? [] : await streetData.activeDatasets(context.tx)
    const rows = await addresses.listAddresses(context.tx, context.actor, filter, page.fetch, active)
    return {
      body: paged(
        self,
        page,
        rows.map((row) => e911Resource(deps, row)),
      ),
    }
  }),
  bind(api.getE911, async ({ context, params, headers }) => {
    const row = await actions.requireAddress(context, params.e911_id)
    const wants = headers.accept?.toLowerCase().includes(pidf) === true
    return wants
      ? { stream: Buffer.from(presentLocation(row, link(deps, e911Path(row.id)))), content_type: pidf }
      : addressDocument(deps, row)
  }),
  bindPrepared(
    api.updateE911,
    ({ context, params, body }) => actions.prepareChange(context, validator, params.e911_id, body),
    async ({ context, params }, change) =>
      addressDocument(deps, await actions.updateAddress(context, params.e911_id, change)),
    {
      current: async ({ context }, id) => e911Attributes(await actions.requireAddress(context, id)),
      check: async ({ context, params }, valid, failing) =>
        actions.fieldErrors(context, valid, failing, await actions.requireAddress(context, params.e911_id)),
    },
  ),
  bind(api.deleteE911, async ({ context, params }) => {
    await actions.deleteAddress(context, params.e911_id)
    return { body: undefined }
  }),
]

const validationBindings = (deps: Deps, storage: Storage): Binding[] => [
  bindPrepared(
    validationApi.createE911Validation,
    ({ context, headers, stream }) => validations.receiveFile(context, storage, { headers, stream }),
    async ({ context }, received) => {
      const { row, headers } = await validations.requestValidation(context, storage, received)
      return { body: validationDocument(deps, row), headers }
    },
    { release: (received) => received.release() },
  ),
  bind(validationApi.getE911Validation, async ({ context, params }) => ({
    body: validationDocument(deps, await validations.getValidation(context, params.validation_id)),
  })),
  bind(
    validationApi.getE911ValidationFile,
    async ({ context, params, query }) => await validations.readFile(context, params.validation_id, query),
  ),
]

const datasetPath = (id: string) => `/operator/e911/datasets/${id}`

function datasetBindings(deps: Deps): Binding[] {
  const resource = (row: streetData.Dataset) => ({
    type: 'e911_dataset' as const,
    id: String(row.id),
    attributes: {
      name: row.name,
      vintage: row.vintage,
      format: row.format,
      authority: row.authority,
      status: row.status,
      failure_reason: row.failure,
      rows_read: row.rows_read,
      rows_skipped: row.rows_skipped,
      skipped: row.skipped,
      streets: row.streets,
      ranges: row.ranges,
      progress: row.progress,
      report: row.report,
      created_at: timeText(row.created_at),
      activated_at: timeText(row.activated_at),
    },
    links: { self: link(deps, datasetPath(String(row.id))) },
  })
  const shown = (row: streetData.Dataset) => {
    const data = resource(row)
    return { body: { data, links: data.links } }
  }
  return [
    bind(datasetApi.importE911Dataset, async ({ context, query, headers, stream }) =>
      shown(await datasets.receiveDataset(context, query, { headers, stream })),
    ),
    bind(datasetApi.listE911Datasets, async ({ context, self }) => ({
      body: {
        data: (await streetData.listDatasets(context.tx)).map(resource),
        links: { self },
        meta: { coverage: await streetData.coverageByState(context.tx) },
      },
    })),
    bind(datasetApi.getE911Dataset, async ({ context, params }) =>
      shown(await datasets.requireDataset(context, params.dataset_id)),
    ),
    bind(datasetApi.listE911DatasetPlaces, async ({ context, params, query: { limit, offset, ...filter }, self }) => {
      const page = pageOf({ limit, offset }, 100)
      const { id } = await datasets.requireDataset(context, params.dataset_id)
      return { body: paged(self, page, await streetData.placesOf(context.tx, id, filter, page.fetch)) }
    }),
    bind(datasetApi.listE911Counties, async ({ context, query: { limit, offset, state }, self }) => {
      const page = pageOf({ limit, offset }, 100)
      const counties = await streetData.coverageByCounty(context.tx, state)
      return { body: paged(self, page, counties.slice(page.fetch.offset, page.fetch.offset + page.fetch.limit)) }
    }),
    bind(datasetApi.activateE911Dataset, async ({ context, params, query }) =>
      shown(await datasets.activate(context, params.dataset_id, query.force === 'true')),
    ),
    bind(datasetApi.deleteE911Dataset, async ({ context, params, query }) => {
      await datasets.remove(context, params.dataset_id, query.force === 'true')
      return { body: undefined }
    }),
  ]
}
