/** Public API: a PostgreSQL server of our own, started and stopped with the service. */
export { startPostgres } from './launcher.ts'
