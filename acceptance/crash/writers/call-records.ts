import { Records } from '../records.ts'
import { newAccount, newMark, someKey, type WriterKind } from '../world.ts'

const batch = 30
/** How many records of a batch were sent before. */
const again = 5

export const callRecords: WriterKind = {
  name: 'call records',
  operations: ['ingestCdrs'],
  async open(world) {
    const { random } = world
    const records = new Records(world, await newAccount(world, 'call records'))
    return {
      async step() {
        const known = records.tags()
        const repeated = known.length < again ? [] : Array.from({ length: again }, () => random.pick(known))
        const fresh = Array.from({ length: batch }, () => newMark('call'))
        await records.send([...new Set([...repeated, ...fresh])], someKey(random))
      },
      count: (findings) => records.count(findings),
    }
  },
}
