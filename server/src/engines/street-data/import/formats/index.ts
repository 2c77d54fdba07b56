import type { Format } from '../format.ts'
import { anyPoints, anyRanges } from './any.ts'
import { addressLines, nadCsv, narCsv, nenaSsapCsv, openAddressesCsv, openAddressesGeojsonl } from './points.ts'
import { msagCsv, msagFixed, nenaRclCsv } from './ranges.ts'
import { tigerAddrfeat, tigerEdges } from './tiger.ts'

/** Supported formats, by their name in the API and on the command line. */
export const FORMATS = {
  'openaddresses-csv': openAddressesCsv,
  'openaddresses-geojsonl': openAddressesGeojsonl,
  'tiger-addrfeat': tigerAddrfeat,
  'tiger-edges': tigerEdges,
  'nad-csv': nadCsv,
  'nar-csv': narCsv,
  'msag-csv': msagCsv,
  'msag-fixed': msagFixed,
  'nena-rcl-csv': nenaRclCsv,
  'nena-ssap-csv': nenaSsapCsv,
  points: anyPoints,
  ranges: anyRanges,
  lines: addressLines,
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

export function isFormat(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name)
}
