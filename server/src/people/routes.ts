import type { Deps } from '../platform/context.ts'
import type { Binding } from '../platform/http/binding.ts'
import type { PeopleDependencies } from './dependencies.ts'
import { factorRoutes } from './factors/routes.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { openIdRoutes } from './openid/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { createPasswords } from './sign-in/passwords.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { createThrottle } from './sign-in/throttle.ts'

export const peopleRoutes =
  ({ config }: Pick<PeopleDependencies, 'config'>) =>
  (deps: Deps): Binding[] => {
    const dependencies = dependenciesOf(config, deps)
    return [
      ...signInRoutes(dependencies)(deps),
      ...openIdRoutes(dependencies)(deps),
      ...sessionRoutes(dependencies)(deps),
      ...factorRoutes(dependencies)(deps),
      ...memberRoutes(),
      ...invitationRoutes(dependencies)(deps),
    ]
  }

const dependenciesOf = (config: PeopleDependencies['config'], deps: Deps): PeopleDependencies => ({
  config,
  passwords: createPasswords(deps.vault),
  throttle: createThrottle(deps),
})
