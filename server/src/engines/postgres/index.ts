/** Public API: the embedded PostgreSQL server, started and stopped with the service. */
export { startPostgres } from './launcher.ts'
