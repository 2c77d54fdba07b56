/** Settings of services under test that are not overload tests: one that is busy with the machine's other work refuses nothing. */
export const PATIENT = { DEMARC_QUEUE_MS: '60000' }

/** How the test server runs: nothing that a test writes needs to survive a power loss. */
export const TEST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
