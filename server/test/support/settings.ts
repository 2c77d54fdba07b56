/** How the test server runs: nothing that a test writes needs to survive a power loss. */
export const TEST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
