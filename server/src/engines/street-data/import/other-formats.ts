/** Formats of other programs, which GDAL converts. */

/** First bytes of files, and what they are. */
const SIGNATURES: [signature: Buffer, name: string][] = [
  [Buffer.from('SQLite format 3\0'), 'a GeoPackage or another SQLite database'],
  [Buffer.from('fgb'), 'FlatGeobuf'],
  [Buffer.from('PAR1'), 'Parquet'],
  [Buffer.from('<'), 'XML, such as GML and KML'],
  [Buffer.from('0000270a', 'hex'), 'the geometry of a shapefile, without its attributes'],
  [Buffer.from('d0cf11e0', 'hex'), 'an old Excel workbook or an Access database'],
]

/** Names of files and folders in archives. A workbook is an archive itself. */
const FILES = /(?:^|\/)([^/]+\.(?:gdb|gpkg|kml|gml|fgb|parquet|sqlite|mdb|xlsx)|xl)(?:\/|$)/i

/** The refusal of a file that begins so; undefined where it is none of these. */
export function otherFormat(file: string, head: Buffer): string | undefined {
  const found = SIGNATURES.find(([signature]) => head.subarray(0, signature.length).equals(signature))
  return found && `${file} is ${found[1]}, which is not read. ${convert(file)}`
}

/** The refusal of an archive that has such a file or folder. */
export function otherFile(archive: string, names: readonly string[]): string | undefined {
  const found = names.map((name) => FILES.exec(name)?.[1]).find((name) => name !== undefined)
  if (found === undefined) return undefined
  return found.toLowerCase() === 'xl'
    ? `${archive} is an Excel workbook, which is not read. Save it as CSV, or convert it: ogr2ogr -f CSV streets.csv ${archive}`
    : `The zip archive has ${found}, which is not read. ${convert(found)}`
}

const convert = (file: string) =>
  `Convert it: ogr2ogr -f CSV streets.csv ${file} LAYER (ogrinfo ${file} lists its layers).`
