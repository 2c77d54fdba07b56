import { postalData, preparePostalData } from '../postal/data.ts'
import type { Streets } from '../match/streets.ts'
import type { MinLevel } from './policy.ts'
import { Search, type SearchContext } from './search.ts'
import { StreetLists } from './street-lists.ts'
import type { Validator } from './validator.ts'

export interface LocalOptions {
  streets: Streets
  min_level: MinLevel
  /** Accepts at level `postal` where no data covers the address, even if more is required, so that a remote validator decides. */
  defers?: boolean
}

/** Validates against the postal data and the active datasets. */
export function localValidator({ streets, min_level, defers = false }: LocalOptions): Validator {
  const lists = new StreetLists(streets)
  const context: SearchContext = {
    streets,
    lists,
    min_level,
    defers,
    // on the first validation, because loading is slow and many processes never validate
    get data() {
      return postalData()
    },
  }
  return {
    name: 'local',
    async validate(address) {
      await preparePostalData()
      for (;;) {
        const search = new Search(context, address)
        const outcome = await search.run()
        if (await search.readOneVersion()) return outcome
      }
    },
  }
}
