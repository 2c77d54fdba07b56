import type { Service } from '../../../acceptance/support/service.ts'

/** One command with a line that succeeds and one that is refused. Both run in every output format. */

export interface Transcript {
  /** `numbers list` */
  command: string
  as?: 'account' | 'operator'
  /** A change runs once per output format, so its line may depend on earlier changes and on the run count. */
  success: string | ((world: World, run: number) => string | Promise<string>)
  refusal: string | ((world: World) => string | Promise<string>)
  /** Exit status of the refusal. */
  status: number
  /** What a person must be able to read in its output. */
  shows?: RegExp
  /** Its output is a file or a script, which has only one format. */
  bytes?: true
  stdin?: string
}

/** The service and the records the tests created. */
export interface World {
  service: Service
  /** An empty folder for files. */
  folder: string
}
