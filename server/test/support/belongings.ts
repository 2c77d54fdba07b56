import type { TestAccount, TestServer } from './server.ts'

type NumberType = 'longcode' | 'toll-free'

export interface NumberWish {
  value?: string
  number_type?: NumberType
  alias?: string | null
  state?: string
  rate_center?: string
}

/** Gives a test server's accounts what most tests need: numbers, routes, caller-ID names. All made over HTTP. */
export function belongings(server: TestServer) {
  let numbers = 12_065_550_000
  let names = 0
  return {
    /** A number of its own unless `value` says which; gives its 11 digits. */
    async newNumber(over: NumberWish = {}, account: Pick<TestAccount, 'id'> = server.account): Promise<string> {
      const value = over.value ?? String(++numbers)
      const body = { numbers: [{ number_type: 'longcode' as NumberType, ...over, value }] }
      await server.operator.addNumbers({ params: { account_id: account.id }, body })
      return value
    },
    /** A route of type `host` called PBX; gives its id. */
    async newRoute(account: TestAccount = server.account): Promise<string> {
      const body = { route_type: 'host' as const, value: 'pbx.example', alias: 'PBX' }
      return (await account.client.createRoute({ body })).body.data.id
    },
    /** A caller-ID name of its own that stands as said; gives its id. */
    async newCnam(
      standing: 'approved' | 'rejected' | 'waiting' = 'approved',
      account: TestAccount = server.account,
    ): Promise<string> {
      const { id } = (await account.client.createCnam({ body: { value: `Name ${++names}` } })).body.data
      const params = { cnam_id: id }
      if (standing === 'approved') await server.operator.decideCnam({ params, body: { is_approved: true } })
      if (standing === 'rejected')
        await server.operator.decideCnam({ params, body: { is_approved: false, rejection_reason: 'No.' } })
      return id
    },
  }
}
