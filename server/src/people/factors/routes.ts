import { people as api } from '@demarc/client'
import { bind, type Binding } from '../../platform/http/binding.ts'
import type { Deps } from '../../platform/context.ts'
import { timeText } from '../../platform/clock.ts'
import type { PeopleDependencies } from '../dependencies.ts'
import { signedIn } from '../sessions/actor.ts'
import { currentSession } from '../sessions/routes.ts'
import * as actions from './actions.ts'
import * as store from './store.ts'

export const factorRoutes =
  (dependencies: PeopleDependencies) =>
  (_deps: Deps): Binding[] => [
    bind(api.updatePerson, async ({ context, body, headers }) => {
      await actions.updateOwn(context, body)
      return { body: { data: await currentSession(context, dependencies, headers) } }
    }),
    bind(api.beginConfirmation, async ({ context }) => ({ body: { data: await actions.beginConfirmation(context) } })),
    bind(api.confirmIdentity, async ({ context, body, headers, remote_ip }) => {
      await actions.confirmIdentity(context, dependencies, body, remote_ip)
      return { body: { data: await currentSession(context, dependencies, headers) } }
    }),
    bind(api.changePassword, async ({ context, body, remote_ip }) => {
      await actions.changePassword(context, dependencies, body, remote_ip)
      return { body: undefined }
    }),
    bind(api.beginTotp, async ({ context }) => ({ body: { data: await actions.beginTotp(context, dependencies) } })),
    bind(api.confirmTotp, async ({ context, body }) => ({
      body: { data: { recovery_codes: await actions.confirmTotp(context, body.code) } },
    })),
    bind(api.removeTotp, async ({ context }) => {
      await actions.removeTotp(context)
      return { body: undefined }
    }),
    bind(api.renewRecoveryCodes, async ({ context }) => ({
      body: { data: { recovery_codes: await actions.renewRecoveryCodes(context) } },
    })),
    ...passkeyBindings(dependencies),
  ]

const passkeyBindings = (dependencies: PeopleDependencies): Binding[] => [
  bind(api.listPasskeys, async ({ context }) => ({
    body: { data: (await store.listPasskeys(context.tx, signedIn(context).id)).map(passkey) },
  })),
  bind(api.beginPasskey, async ({ context }) => ({
    body: { data: { passkey_options: await actions.beginPasskey(context, dependencies) } },
  })),
  bind(api.addPasskey, async ({ context, body }) => {
    const { row, recovery_codes } = await actions.addPasskey(context, body)
    return { body: { data: { ...passkey(row), recovery_codes } } }
  }),
  bind(api.removePasskey, async ({ context, params }) => {
    await actions.removePasskey(context, params.passkey_id)
    return { body: undefined }
  }),
]

const passkey = ({ id, name, created_at, last_used_at }: store.PasskeyRow) => ({
  id,
  name,
  created_at: timeText(created_at),
  last_used_at: timeText(last_used_at),
})
