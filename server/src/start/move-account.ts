import type { Config } from '../config.ts'
import { moveAccount } from '../cdrs/index.ts'
import { openInstallation } from '../installation.ts'
import { createLog } from '../platform/log.ts'
import { openRuntime } from '../runtime.ts'
import { prepareDatabase } from './database.ts'

/** `npm run cdrs -- move ACCOUNT SHARD`. Prints the progress and the result. */
export async function moveCallRecords(config: Config, to: { account_id: string; shard: number }): Promise<void> {
  const log = createLog(config.log_level, 'cdrs')
  const opened = await openInstallation(config, log)
  try {
    await prepareDatabase(config, opened.installation, log)
    const runtime = await openRuntime(config, opened.installation, 'cdrs', log)
    try {
      const onProgress = (text: string) => console.log(text)
      const { locked_ms } = await moveAccount(runtime.database.db, runtime.warehouse, to, { onProgress })
      console.log(
        `The call records of account ${to.account_id} are on shard ${to.shard}. Its ingest waited ${locked_ms} ms for the switch.`,
      )
    } finally {
      await runtime.close()
    }
  } finally {
    await opened.close()
  }
}

/** The arguments after `move`. Null if they are not an account and a shard. */
export function readMove(args: readonly string[]): { account_id: string; shard: number } | null {
  const [account_id = '', shard = '', ...more] = args
  if (more.length > 0 || !/^\d{1,18}$/.test(account_id) || !/^\d{1,4}$/.test(shard)) return null
  return { account_id, shard: Number(shard) }
}
