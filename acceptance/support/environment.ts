/**
 * What a process that a test starts gets of the test's environment: not the test runner's variables, which would make it report
 * as a test file.
 */
export const environment = {
  PATH: process.env['PATH'],
  // compiling the service takes a new process longer than anything else that it does
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
