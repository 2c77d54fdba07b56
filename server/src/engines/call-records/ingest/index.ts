/** The door of the bulk ingest of call records. */
export { ingestCdrs, type IngestInput, type IngestParts, type IngestReport } from './ingest.ts'
