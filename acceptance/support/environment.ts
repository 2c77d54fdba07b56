/**
 * The environment variables of processes that tests start. Without the test runner's variables, which would make them report as
 * test files.
 */
export const environment = {
  PATH: process.env['PATH'],
  // compiling the service takes a new process longer than anything else that it does
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
