/**
 * Fictional towns in real postal areas, to try every outcome and level of a validation without loading data. Friendship,
 * Wisconsin (English) and Sutton, Quebec (French) have single house numbers; Westfield, Wisconsin has ranges. No street or number
 * is real. The text is deterministic.
 */
export const DEMO_DATASET = {
  name: 'Demo towns',
  vintage: '1',
  format: 'nena-ssap-csv',
  authority: 'authoritative',
  license: 'Apache-2.0',
  source: 'Fictional data for the demo; no real street or number.',
} as const

/** A master street address guide with ranges: an address within one is validated at level `range`. */
export const DEMO_GUIDE = {
  ...DEMO_DATASET,
  name: 'Demo county guide',
  format: 'msag-csv',
} as const

interface Street {
  pre?: string
  type_before?: string
  name: string
  type?: string
  post?: string
  /** First and last hundred block. */
  blocks: readonly [number, number]
  /** Houses per side of a block. */
  houses: number
}

interface Town {
  country: string
  state: string
  zip: string
  city: string
  /** The 911 community; it differs from the city for streets outside the town. */
  community: string
  esn: string
  psap: string
  streets: readonly Street[]
}

const TREES = 'Alder Birch Cedar Dogwood Elm Fir Hawthorn Juniper Larch Maple Oak Pine'.split(' ')
const ORDINALS = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th', '8th', '9th']

const FRIENDSHIP: Town = {
  country: 'US',
  state: 'WI',
  zip: '53934',
  city: 'Friendship',
  community: 'Friendship',
  esn: '401',
  psap: 'Demo County Dispatch',
  streets: [
    // same numbers north and south of Center Street, so an address on Main without a direction is ambiguous
    { pre: 'N', name: 'Main', type: 'St', blocks: [1, 6], houses: 12 },
    { pre: 'S', name: 'Main', type: 'St', blocks: [1, 4], houses: 12 },
    { name: 'Center', type: 'St', blocks: [1, 9], houses: 10 },
    ...TREES.map((name): Street => ({ name, type: 'St', blocks: [1, 9], houses: 8 })),
    ...ORDINALS.map((name): Street => ({ name, type: 'Ave', post: 'W', blocks: [1, 6], houses: 8 })),
    { name: 'Lakeview', type: 'Dr', blocks: [1, 3], houses: 9 },
    { name: 'Lakeview', type: 'Ct', blocks: [4, 4], houses: 6 },
    { name: 'Grove Park', type: 'Ln', blocks: [1, 2], houses: 7 },
    { name: 'Saint Clair', type: 'Blvd', blocks: [1, 5], houses: 10 },
    { name: 'B 1/4', type: 'Rd', blocks: [10, 12], houses: 5 },
  ],
}

/** Its 911 community differs from its postal city, Friendship. */
const ROCHE: Town = {
  ...FRIENDSHIP,
  community: 'Roche Township',
  esn: '402',
  streets: [
    { name: 'County Road J', blocks: [21, 28], houses: 4 },
    { name: 'State Hwy 13', post: 'N', blocks: [30, 36], houses: 4 },
    { name: 'Old Mill', type: 'Rd', blocks: [40, 44], houses: 5 },
  ],
}

const SUTTON: Town = {
  country: 'CA',
  state: 'QC',
  zip: 'J0E 2K0',
  city: 'Sutton',
  community: 'Sutton',
  esn: '701',
  psap: 'Centre de démonstration',
  streets: [
    { type_before: 'Rue', name: 'Principale', post: 'N', blocks: [1, 4], houses: 10 },
    { type_before: 'Rue', name: 'Principale', post: 'S', blocks: [1, 3], houses: 10 },
    { type_before: 'Rue', name: "de l'Église", blocks: [1, 2], houses: 8 },
    { type_before: 'Chemin', name: 'du Moulin', blocks: [10, 14], houses: 5 },
    { type_before: 'Boulevard', name: 'René-Lévesque', post: 'O', blocks: [1, 5], houses: 8 },
    { name: '10e', type: 'Avenue', blocks: [1, 3], houses: 8 },
  ],
}

const COLUMNS = [
  'Country',
  'State',
  'Post_Code',
  'Post_Comm',
  'MSAGComm',
  'ESN',
  'PSAP',
  'Add_Number',
  'St_PreDir',
  'St_PreTyp',
  'St_Name',
  'St_PosTyp',
  'St_PosDir',
]

/** The towns as site address points, in the CSV format of `DEMO_DATASET`. */
export function demoTownCsv(): string {
  const rows = [FRIENDSHIP, ROCHE, SUTTON].flatMap((town) => town.streets.flatMap((street) => addresses(town, street)))
  return `${[COLUMNS, ...rows].map((row) => row.join(',')).join('\n')}\n`
}

const GUIDE_COLUMNS = ['street', 'suffix', 'low', 'high', 'o/e', 'community', 'state', 'zip', 'esn', 'psap']

/** Street, type, lowest and highest number, and side. The last street has no numbers, so its level is `street`. */
const WESTFIELD: readonly (readonly [string, string, string, string, 'O' | 'E' | 'B'])[] = [
  ['Kettle', 'Rd', '101', '299', 'O'],
  ['Kettle', 'Rd', '100', '298', 'E'],
  ['Copperleaf', 'Ave', '1', '499', 'B'],
  ['Heron', 'Ct', '2', '40', 'E'],
  ['Lost Lantern', 'Ln', '', '', 'B'],
]

/** Westfield as an address guide, in the CSV format of `DEMO_GUIDE`. */
export function demoGuideCsv(): string {
  const rows = WESTFIELD.map((street) => [...street, 'Westfield', 'WI', '53964', '451', 'Demo County Dispatch'])
  return `${[GUIDE_COLUMNS, ...rows].map((row) => row.join(',')).join('\n')}\n`
}

function addresses(town: Town, street: Street): string[][] {
  const { country, state, zip, city, community, esn, psap } = town
  const { pre = '', type_before = '', name, type = '', post = '', blocks, houses } = street
  const rows: string[][] = []
  for (let block = blocks[0]; block <= blocks[1]; block++) {
    for (let house = 0; house < houses * 2; house++) {
      // odd and even sides, with gaps between the numbers
      const number = block * 100 + 2 * Math.floor((house >> 1) * (49 / houses)) + (house % 2)
      rows.push([country, state, zip, city, community, esn, psap, String(number), pre, type_before, name, type, post])
    }
  }
  return rows
}
