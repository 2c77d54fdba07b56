import type pg from 'pg'
import { population, postalData, type PostalData, stateNamed } from '../../addresses/index.ts'
import { kyselyForClient } from '../../../platform/db.ts'
import { overlapOf } from '../overlap-store.ts'
import type { Dataset } from '../store.ts'
import type { DatasetReport, LoadedCounts } from '../tables.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { measurePlaces, type MeasuredPlace } from './measure.ts'
import { heldBecause } from './report.ts'
import { compared, sharesWithout } from './report-store.ts'
import type { Staged } from './stage.ts'
import * as staging from './staging-store.ts'

/** Measures a dataset and writes its report, within the transaction that loads it. */

export interface AssessOptions {
  format: FormatName
  data?: PostalData | undefined
  /** The vintage that it will replace. */
  active: Dataset | undefined
}

/** Measures and stores how much of each place the dataset has. */
export async function measure(
  client: pg.ClientBase,
  id: number,
  { loader: { counties } }: Staged,
  { format, data = postalData() }: AssessOptions,
): Promise<MeasuredPlace[]> {
  const own = new Set([...counties].map((fips) => `${stateNamed(fips.slice(0, 2), 'US') ?? ''}${fips.slice(2)}`))
  const counts = await staging.placeCounts(client, id)
  const places = measurePlaces(counts, FORMATS[format].kind, own, { data, population })
  await staging.markMeasured(client, id, places)
  return places
}

/** The report for the operator, with the reasons if the dataset is held. */
export async function report(
  client: pg.ClientBase,
  id: number,
  { loader, columns }: Staged,
  found: { counts: LoadedCounts; suffixes: DatasetReport['suffixes']; places: readonly MeasuredPlace[] },
  { format, active }: AssessOptions,
): Promise<DatasetReport> {
  const { kind } = FORMATS[format]
  const ranges = Number(found.counts.ranges)
  const without_reasons = {
    dropped: loader.dropped.all,
    contradictions: loader.contradictions.all,
    without: await sharesWithout(client, id),
    parity: kind === 'range' ? loader.parity : null,
    columns: columns.report,
    suffixes: found.suffixes,
    places: byCoverage(found.places),
    overlap: await overlapOf(kyselyForClient(client), id),
    compared_with: active ? await compared(client, active, { id, ranges }) : null,
  }
  const { rows_read, skipped } = loader
  const { length: places } = found.places
  const streets = (of: readonly MeasuredPlace[]) => of.reduce((sum, place) => sum + place.streets, 0)
  const streets_in_thin_places = streets(found.places.filter(({ thin }) => thin)) / Math.max(1, streets(found.places))
  const assessed = { kind, rows_read, skipped, ranges, places, streets_in_thin_places, report: without_reasons }
  return { ...without_reasons, held: heldBecause(assessed) }
}

function byCoverage(places: readonly MeasuredPlace[]): DatasetReport['places'] {
  const thin = places.filter((place) => place.thin).length
  const partial = places.filter((place) => !place.thin && place.beyond).length
  return { covered: places.length - thin - partial, partial, thin }
}
