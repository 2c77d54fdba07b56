import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { followUps } from '../../src/e911/index.ts'
import { DEMO_DATASET, demoTownCsv } from '../../seed/town.ts'
import { importDataset } from '../../src/engines/street-data/index.ts'
import type { TestServer } from './server.ts'

/** Loads the streets of the demo towns, to which `DEMO_EXAMPLES` belong. */
export async function loadTown({ runtime, clock }: Pick<TestServer, 'runtime' | 'clock'>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-town-'))
  const file = path.join(folder, 'town.csv')
  await writeFile(file, demoTownCsv())
  await importDataset(runtime.database.pool, {
    ...DEMO_DATASET,
    follow_ups: followUps,
    file,
    activate: true,
    now: clock.now(),
  })
  await rm(folder, { recursive: true })
}

/** Example addresses with their responses. Names are fictional too. */
export const DEMO_EXAMPLES = {
  /** 204. */
  accepted: example('100', 'N Main St'),
  /** 204; a duplicate of the previous one. */
  same_in_other_words: example('100', 'north main street'),
  /** 422 with one correction: Cedar. */
  corrected: example('200', 'Ceder St'),
  /** 422 with two corrections: north and south. */
  ambiguous: example('100', 'Main St'),
  /** 422 with a correction of the city. */
  wrong_city: { ...example('300', 'Elm St'), city: 'Frendship' },
  /** 204, in a 911 community other than the postal city. */
  other_community: { ...example('2200', 'County Rd J'), city: 'Roche Township' },
  /** 204, in French. */
  french: { ...example('100', 'rue Principale Nord'), city: 'Sutton', state: 'QC', country: 'CA', zip: 'J0E 2K0' },
  /** 400: the street exists, the number does not. */
  no_such_number: example('98765', 'N Main St'),
  /** 400. */
  no_such_street: example('100', 'Zephyr Quay'),
  /** 400: a mailbox has no location. */
  mailbox: example('12', 'PO Box 345'),
  /** 422 on the field: the unit belongs in the address type fields. */
  hidden_unit: example('100', 'N Main St Apt 4'),
} as const

function example(street_number: string, street_name: string) {
  return {
    label: 'Home',
    first_name: 'Rosa',
    last_name: 'Diaz',
    street_number,
    street_name,
    city: 'Friendship',
    state: 'WI',
    country: 'US',
    zip: '53934',
  }
}
