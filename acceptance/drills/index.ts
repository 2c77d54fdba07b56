import { clickhouse } from './clickhouse.ts'
import type { Drill } from './drill.ts'
import { databases } from './databases.ts'
import { failover } from './failover.ts'
import { files } from './files.ts'
import { processes } from './processes.ts'
import { throughput } from './throughput.ts'

/** Every drill, in the order of the list and of the page. */
export const drills: readonly Drill[] = [processes, failover, databases, clickhouse, files, throughput]
