import type { Service } from '../../../acceptance/support/service.ts'

/** One command with a line that succeeds and one that is refused; both are run in every form of output. */

export interface Transcript {
  /** `numbers list` */
  command: string
  as?: 'account' | 'operator'
  /** A change runs again for each output form, so its line may depend on earlier changes and on the run count. */
  success: string | ((world: World, run: number) => string | Promise<string>)
  refusal: string | ((world: World) => string | Promise<string>)
  /** Exit status of the refusal. */
  status: number
  /** Its output is a file or a script, which has no other form. */
  bytes?: true
  stdin?: string
}

/** The service and what the tests made there. */
export interface World {
  service: Service
  /** An empty folder for files. */
  folder: string
}
