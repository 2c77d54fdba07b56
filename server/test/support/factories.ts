import { DEMO_EXAMPLES } from './town.ts'
import type { TestAccount, TestServer } from './server.ts'

type NumberType = 'longcode' | 'toll-free'

export interface NumberInput {
  value?: string
  number_type?: NumberType
  alias?: string | null
  state?: string
  rate_center?: string
}

/** Creates what most tests need on a test server's accounts over HTTP: numbers, routes, caller ID names, emergency addresses. */
export function factories(server: TestServer) {
  let numbers = 12_065_550_000
  let names = 0
  let labels = 0
  return {
    /** A new number, or that of `value`; returns its 11 digits. */
    async newNumber(over: NumberInput = {}, account: Pick<TestAccount, 'id'> = server.account): Promise<string> {
      const value = over.value ?? String(++numbers)
      const body = { numbers: [{ number_type: 'longcode' as NumberType, ...over, value }] }
      await server.operator.addNumbers({ params: { account_id: account.id }, body })
      return value
    },
    /** A route of type `host` with the alias PBX; returns its id. */
    async newRoute(account: TestAccount = server.account): Promise<string> {
      const body = { route_type: 'host' as const, value: 'pbx.example', alias: 'PBX' }
      return (await account.client.createRoute({ body })).body.data.id
    },
    /** A new caller ID name in this status; returns its id. */
    async newCnam(
      status: 'approved' | 'rejected' | 'waiting' = 'approved',
      account: TestAccount = server.account,
    ): Promise<string> {
      const { id } = (await account.client.createCnam({ body: { value: `Name ${++names}` } })).body.data
      const params = { cnam_id: id }
      if (status === 'approved') await server.operator.decideCnam({ params, body: { is_approved: true } })
      if (status === 'rejected')
        await server.operator.decideCnam({ params, body: { is_approved: false, rejection_reason: 'No.' } })
      return id
    },
    /** A new emergency address, 100 N Main St of the made-up town where nothing else is given; returns its id. */
    async newAddress(over: object = {}, account: TestAccount = server.account): Promise<string> {
      const attributes = { ...DEMO_EXAMPLES.accepted, label: `Address ${++labels}`, ...over } as never
      return (await account.client.createE911({ body: { data: { type: 'e911', attributes } } })).body.data.id
    },
  }
}
