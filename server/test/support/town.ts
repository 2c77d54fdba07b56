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
