/**
 * Settings of every service under test: none refuses requests because other tests keep the machine busy. Overload tests have
 * their own.
 */
export const UNHURRIED = { DEMARC_QUEUE_MS: '60000' }

/**
 * How the test server runs: nothing that a test writes needs to survive a power loss, and the services of all test files that
 * run at the same time connect to it.
 */
export const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '400',
}
