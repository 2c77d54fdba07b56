/** Spellings of streets and towns, with tables that are independent of the service's. */

/** Suffixes: short form, full word, other spellings; after the bar, spellings of counties. */
const SUFFIXES = `
ALY ALLEY ALLEE ALLY; ARC ARCADE; AVE AVENUE AV AVEN AVENU AVN AVNUE; BYU BAYOU BAYOO; BCH BEACH; BND BEND; BLF BLUFF BLUF;
BLVD BOULEVARD BOUL BOULV | BL BV BVD; BTM BOTTOM BOT BOTTM; BR BRANCH BRNCH; BRG BRIDGE BRDGE; BRK BROOK; BYP BYPASS BYPA BYPAS BYPS;
CP CAMP CMP; CPE CAPE; CYN CANYON CANYN CNYN; CSWY CAUSEWAY CAUSWA; CTR CENTER CENTRE CEN CENT CENTR CNTER CNTR; CIR CIRCLE CIRC CIRCL CRCL CRCLE | CI;
CMN COMMON | CM; CMNS COMMONS; COR CORNER; CRSE COURSE; CT COURT CRT; CV COVE; CRK CREEK; CRES CRESCENT CRSENT CRSNT | CS;
XING CROSSING CRSSNG | CX; DL DALE; DV DIVIDE DIV DVD; DR DRIVE DRIV DRV; EST ESTATE; ESTS ESTATES; EXPY EXPRESSWAY EXP EXPR EXPRESS EXPW;
EXT EXTENSION EXTN EXTNSN; FALL; FLS FALLS; FRY FERRY FRRY; FLD FIELD; FLDS FIELDS; FRD FORD; FRST FOREST FORESTS; FRG FORGE FORG; FRK FORK;
FWY FREEWAY FREEWY FRWAY FRWY | FY; GDN GARDEN GARDN GRDEN GRDN; GDNS GARDENS GRDNS; GTWY GATEWAY GATEWY GATWAY GTWAY; GLN GLEN; GRN GREEN;
GRV GROVE GROV; HBR HARBOR HARB HARBR HRBOR; HVN HAVEN; HTS HEIGHTS HT; HWY HIGHWAY HIGHWY HIWAY HIWY HWAY | HW HY; HL HILL; HLS HILLS;
HOLW HOLLOW HLLW HOLLOWS HOLWS; IS ISLAND ISLND; JCT JUNCTION JCTION JCTN JUNCTN JUNCTON; KY KEY; KNL KNOLL KNOL; LK LAKE; LKS LAKES;
LNDG LANDING LNDNG; LN LANE | LA; LDG LODGE LDGE LODG; LOOP LOOPS | LP; MNR MANOR; MDW MEADOW; MDWS MEADOWS MEDOWS; ML MILL; MLS MILLS;
MSN MISSION MISSN MSSN; MT MOUNT MNT; MTN MOUNTAIN MNTAIN MNTN MOUNTIN MTIN; NCK NECK; ORCH ORCHARD ORCHRD; OVAL OVL; PARK PRK;
PKWY PARKWAY PARKWY PKWAY PKY | PW PY; PASS; PATH PATHS; PIKE PIKES; PNE PINE; PNES PINES; PL PLACE; PLN PLAIN; PLNS PLAINS; PLZ PLAZA PLZA | PZ;
PT POINT; PRT PORT; PR PRAIRIE PRR; RADL RADIAL RAD RADIEL; RNCH RANCH RANCHES RNCHS; RDG RIDGE RDGE; RIV RIVER RIVR RVR; RD ROAD; RTE ROUTE RT;
ROW; RUN; SHR SHORE SHOAR; SHRS SHORES SHOARS; SKWY SKYWAY; SPG SPRING SPNG SPRNG; SPGS SPRINGS SPNGS SPRNGS; SQ SQUARE SQR SQRE SQU;
STA STATION STATN STN; STRM STREAM STREME; ST STREET STRT STR; SMT SUMMIT SUMIT SUMITT; TER TERRACE TERR | TE; TRCE TRACE TRACES;
TRAK TRACK TRACKS TRK TRKS; TRL TRAIL TRAILS TRLS | TL; TUNL TUNNEL TUNEL TUNLS TUNNL; TPKE TURNPIKE TRNPK TURNPK | TP; UN UNION;
VLY VALLEY VALLY VLLY; VW VIEW; VLG VILLAGE VILL VILLAG VILLG VILLIAGE; VIS VISTA VIST VST VSTA; WALK WALKS | WK; WAY WY; BAY; CLOSE; GATE; MEWS;
RUE; CH CHEMIN; CROIS CROISSANT; MTEE MONTEE; RANG; QUAI; COTE`

interface Suffix {
  short: string
  full: string
  spellings: string[]
  county: string[]
}

const ALL: readonly Suffix[] = SUFFIXES.split(';').map((entry) => {
  const [common = '', county = ''] = entry.split('|').map((each) => each.trim())
  const [short = '', full = short, ...further] = common.split(/\s+/)
  return { short, full, spellings: [short, full, ...further], county: county.split(/\s+/).filter(Boolean) }
})
const bySpelling = new Map(
  ALL.toReversed().flatMap((suffix) => [...suffix.county, ...suffix.spellings].map((word) => [word, suffix] as const)),
)
const countySpellings = new Set(ALL.flatMap(({ county }) => county))

const DIRECTIONS: Readonly<Record<string, string>> = {
  NORTH: 'N',
  SOUTH: 'S',
  EAST: 'E',
  WEST: 'W',
  NORTHEAST: 'NE',
  NORTHWEST: 'NW',
  SOUTHEAST: 'SE',
  SOUTHWEST: 'SW',
  NORD: 'N',
  SUD: 'S',
  OUEST: 'W',
}
const FULL_DIRECTION = new Map(
  Object.entries(DIRECTIONS)
    .toReversed()
    .map(([full, short]) => [short, full]),
)
const ORDINALS = 'ZEROTH FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH'.split(' ')
const OTHER_WORDS: Readonly<Record<string, string>> = { SAINT: 'ST', SAINTE: 'STE', FORT: 'FT', AND: '&' }

/** Upper case without accents and periods, one space between words. */
export function folded(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
  return plain
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{N}&/]+/gu, ' ')
    .trim()
}

const FRENCH_START = /^(RUE|CH|CHEMIN|BOUL|BOULEVARD|AV|AVENUE|MONTEE|RANG|COTE|PLACE|ROUTE|RTE|CROIS|QUAI)$/

const cached = new Map<string, string>()

/** Equal for spellings of the same street. */
export function streetKey(text: string): string {
  const known = cached.get(text)
  if (known !== undefined) return known
  const words = folded(text).split(' ')
  // EST is east in French and ESTATE in English
  const french = FRENCH_START.test(words[0] ?? '')
  const found = words.map((word) => (french && word === 'EST' ? 'E' : wordKey(word))).join(' ')
  cached.set(text, found)
  return found
}

function wordKey(word: string): string {
  const ordinal = ORDINALS.indexOf(word)
  if (ordinal > 0) return ordinalOf(ordinal)
  if (/^0+\d+(ST|ND|RD|TH)$/.test(word)) return word.replace(/^0+/, '')
  return DIRECTIONS[word] ?? OTHER_WORDS[word] ?? bySpelling.get(word)?.short ?? word
}

const ordinalOf = (n: number) => `${n}${['TH', 'ST', 'ND', 'RD'][n] ?? 'TH'}`

/** Equal for spellings of the same town. */
export function townKey(text: string): string {
  return folded(text)
    .split(' ')
    .map((word) => OTHER_WORDS[word] ?? word)
    .join(' ')
}

/** Equal for spellings of the same complete house number. */
export function numberKey(text: string): string {
  const plain = text
    .replace(/(\d)(?=[¼½¾⅓⅔])/g, '$1 ')
    .normalize('NFKC')
    .replaceAll('⁄', '/')
  return plain
    .toUpperCase()
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(\d) (?=[A-Z])/g, '$1')
}

/** The words of a street by role, in the usual order of sources. */
export interface StreetWords {
  pre: string
  name: string[]
  suffix: string
  post: string
}

export function streetWords(text: string): StreetWords {
  const words = text.trim().split(/\s+/)
  const isDirection = (word: string | undefined) => {
    const plain = folded(word ?? '')
    return FULL_DIRECTION.has(plain) || plain in DIRECTIONS
  }
  // start from the end, so that South St E keeps its name
  const post = words.length > 2 && isDirection(words.at(-1)) ? (words.pop() ?? '') : ''
  const suffix = words.length > 1 && bySpelling.has(folded(words.at(-1) ?? '')) ? (words.pop() ?? '') : ''
  const pre = words.length > 1 && isDirection(words[0]) ? (words.shift() ?? '') : ''
  return { pre, name: words, suffix, post }
}

/** The text of a street's words. */
export function streetOf({ pre, name, suffix, post }: StreetWords): string {
  return [pre, ...name, suffix, post].filter((word) => word !== '').join(' ')
}

/** Whether the word is a county's spelling of a suffix, which postal authorities don't list. */
export const isCountySpelling = (word: string): boolean =>
  countySpellings.has(folded(word)) && !ALL.some(({ spellings }) => spellings.includes(folded(word)))

/** Common spellings of the same suffix. */
export function suffixSpellings(word: string): string[] {
  const suffix = bySpelling.get(folded(word))
  return suffix ? [suffix.short, suffix.full] : [word]
}

/** Spellings of the same direction. */
export function directionSpellings(word: string): string[] {
  const short = DIRECTIONS[folded(word)] ?? folded(word)
  return [short, FULL_DIRECTION.get(short) ?? short]
}

/** `First` for `1ST`; undefined for any other word. */
export function otherOrdinal(word: string): string | undefined {
  const n = Number.parseInt(word, 10)
  return /^\d+(st|nd|rd|th)$/i.test(word) ? ORDINALS[n] : undefined
}
