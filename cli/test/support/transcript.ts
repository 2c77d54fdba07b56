import type { Service } from '../../../acceptance/support/service.ts'

/** One command with a line that succeeds and one that is refused; both are run in every form of output. */

export interface Transcript {
  /** `numbers list` */
  command: string
  as?: 'account' | 'operator'
  /** A change is made anew for each form, so its line may depend on what was made before, and on the count of runs. */
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
