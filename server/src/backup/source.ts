import { storedFiles as exports } from '../cdrs/index.ts'
import { storedFiles as addressFiles } from '../e911/index.ts'
import type { Warehouse } from '../engines/call-records/index.ts'
import { storedFiles as documents } from '../order-documents/index.ts'
import type { DatabaseHandle } from '../platform/db.ts'
import type { StoredFiles } from '../platform/file-scrub.ts'
import type { FileStore } from '../platform/files/index.ts'

/** What is backed up, and what a restore fills. */
export interface Stores {
  /** Past a pooler, if there is one. */
  database: DatabaseHandle
  files: FileStore
  warehouse: Warehouse
}

/** A key file or the settings with the keys. */
export interface Secret {
  name: string
  content: Buffer
}

/** The files that rows name. */
export const namedFiles: readonly StoredFiles[] = [exports, documents, addressFiles]

/** Reports a step to the operator. */
export type OnProgress = (text: string) => void
