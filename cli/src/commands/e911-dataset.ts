import { operations } from '@demarc/client'
import { datasetIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** The operator's street data, which emergency addresses are validated against. */

const dataset_id = { summary: 'ID of the dataset', complete: datasetIds }

const list = plain('list', operations.listE911Datasets, {
  columns: ['id', 'name', 'vintage', 'format', 'status', 'streets', 'ranges', 'progress'],
  examples: ['e911-dataset list'],
})

const get = plain('get', operations.getE911Dataset, {
  arguments: { dataset_id },
  examples: ['e911-dataset get 2', 'e911-dataset get 2 --json --fields report.held'],
})

const places = plain('places', operations.listE911DatasetPlaces, {
  description:
    'Coverage determines what happens to an address that is not in the data. In a covered place, it is corrected or rejected. In a partial place, it is corrected if a similar address exists, and otherwise accepted by its postal code. In a thin place, it is corrected only if one letter of its street is wrong, and otherwise accepted by its postal code.',
  arguments: { dataset_id },
  columns: ['country', 'state', 'city', 'postal', 'coverage', 'streets', 'numbers'],
  fields: { coverage: { value: 'coverage', summary: 'Only places with this coverage' } },
  examples: ['e911-dataset places 2 --coverage thin'],
})

const counties = plain('counties', operations.listE911Counties, {
  columns: ['state', 'fips', 'name', 'zip_codes', 'covered', 'partial', 'thin', 'without_data', 'streets'],
  fields: { state: { value: 'WI', summary: 'Only counties of this state' } },
  examples: ['e911-dataset counties --state WI', 'e911-dataset counties --limit 20'],
})

const activate = plain('activate', operations.activateE911Dataset, {
  arguments: { dataset_id },
  fields: { force: { value: 'true|false', summary: 'Activate even if its report holds it' } },
  question: (input) => `Use dataset ${input.argument('dataset')} to validate emergency addresses?`,
  examples: ['e911-dataset activate 3 --yes', 'e911-dataset activate 3 --force true --yes'],
})

const remove = plain('delete', operations.deleteE911Dataset, {
  arguments: { dataset_id },
  fields: { force: { value: 'true|false', summary: 'Remove it even if it is active' } },
  question: (input) => `Remove the dataset ${input.argument('dataset')}?`,
  done: (input) => `Dataset ${input.argument('dataset')} removed.`,
  examples: ['e911-dataset delete 2 --yes', 'e911-dataset delete 2 --force true --yes'],
})

export const e911Dataset: Noun = {
  name: 'e911-dataset',
  summary: 'Street data for validating emergency addresses',
  verbs: [list, get, places, counties, activate, remove],
}
