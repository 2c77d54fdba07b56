import { openDatabase } from '../../src/platform/db.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { resealSecrets } from '../../src/platform/reseal-job.ts'
import { createVault, type VaultOptions } from '../../src/platform/secrets.ts'
import { secretColumns } from '../../src/runtime.ts'

/** A process that seals every value again, once. The argument has the database's URL and the keys. */
const { url, ...keys } = JSON.parse(process.argv[2] ?? '') as VaultOptions & { url: string }
const database = openDatabase({ connection: url, application_name: 'reseal', log: silentLog })
await resealSecrets(
  { db: database.db, vault: createVault(keys), log: silentLog },
  secretColumns,
  new AbortController().signal,
)
await database.close()
process.disconnect()
