import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openDatabase, type DatabaseHandle } from '../platform/db.ts'
import { moveFiles, openJournal, openStores, type Moved } from '../platform/files/index.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { exitWithUsage, parseArguments, runCommand, withInstallation } from './command.ts'

const usage = `npm run files -- move --to s3       copies all files from the data folder to the bucket
npm run files -- move --to local    copies all files from the bucket to the data folder

The service can run at the same time. Run it again to continue after an interruption. See docs/operate/files.md.`

/** How often the progress is printed. */
const progress_ms = 5_000

type Store = 'local' | 's3'

/** `npm run files -- move` copies and compares all files, with the settings of the service. Prints the counts. */
async function move(config: Config, to: Store): Promise<void> {
  if (config.files.s3 === null) throw new StartRefused('S3_BUCKET is not set. Set the S3 settings of the service.')
  if (config.files.store !== to)
    throw new StartRefused(
      to === 's3'
        ? 'New files go to the data folder. Set DEMARC_FILES to s3, or unset it, and restart every process first.'
        : 'New files go to the bucket. Set DEMARC_FILES to local, keep the S3 settings, and restart every process first.',
    )
  await withInstallation(config, 'files', async ({ database_url, database_direct_url, files_dir }, log) => {
    // direct, because the journal's locks belong to a session
    const connection = database_direct_url ?? database_url
    const database = openDatabase({ connection, application_name: 'demarc-files', pool_size: 4, log })
    try {
      await moveAll(config, files_dir, database, to)
    } finally {
      await database.close()
    }
  })
}

async function moveAll(config: Config, files_dir: string, database: DatabaseHandle, to: Store): Promise<void> {
  const { local, s3 } = await openStores(files_dir, config.files)
  if (s3 === null) return
  const journal = await openJournal(database, to)
  if (journal === null) throw new StartRefused('Another process is moving files. Wait for it to finish.')
  try {
    const earlier = await journal.moved()
    if (earlier.files > 0) console.log(`Continuing: ${counted(earlier)} were copied and compared before.`)
    const stores = to === 's3' ? { from: local, to: s3 } : { from: s3, to: local }
    const moved = await moveFiles({ ...stores, journal }, printProgress())
    await journal.finish()
    console.log(`${counted(moved)} were copied and compared. No file is left to copy.`)
    const { bucket = '', prefix = '' } = config.files.s3 ?? {}
    console.log(
      to === 's3'
        ? `You can delete the copies in the data folder: rm -r ${join(files_dir, '[0-9a-f][0-9a-f]')}`
        : `You can unset the S3 settings, restart every process, and then delete s3://${bucket}/${prefix}.`,
    )
  } finally {
    await journal.close()
  }
}

function printProgress(): (moved: Moved) => void {
  let printed_at = performance.now()
  return (moved) => {
    if (performance.now() - printed_at < progress_ms) return
    printed_at = performance.now()
    console.log(`${counted(moved)} so far`)
  }
}

const counted = ({ files, bytes }: Moved) => `${files} files with ${bytes} bytes`

/** The store of `move --to STORE`. Null for other arguments. */
function readArguments(): Store | null {
  const args = parseArguments({ to: { type: 'string' } })
  const to = args?.values.to
  return args?.positionals.join(' ') === 'move' && (to === 'local' || to === 's3') ? to : null
}

const to = readArguments() ?? exitWithUsage(usage)
await runCommand({ demo: false }, (config) => move(config, to))
