/** Unsupported formats that GDAL can convert. */

/** Signatures of files, and their formats. */
const SIGNATURES: [signature: Buffer, name: string][] = [
  [Buffer.from('SQLite format 3\0'), 'a GeoPackage or another SQLite database'],
  [Buffer.from('fgb'), 'FlatGeobuf'],
  [Buffer.from('PAR1'), 'Parquet'],
  [Buffer.from('<'), 'XML, such as GML and KML'],
  [Buffer.from('0000270a', 'hex'), 'the geometry of a shapefile, without its attributes'],
  [Buffer.from('d0cf11e0', 'hex'), 'an old Excel workbook or an Access database'],
]

/** Names of files and folders in archives. A workbook is itself an archive. */
const FILES = /(?:^|\/)([^/]+\.(?:gdb|gpkg|kml|gml|fgb|parquet|sqlite|mdb|xlsx)|xl)(?:\/|$)/i

/** The message for a file with one of the signatures; undefined for other files. */
export function otherFormat(file: string, head: Buffer): string | undefined {
  const found = SIGNATURES.find(([signature]) => head.subarray(0, signature.length).equals(signature))
  return found && `${file} is ${found[1]}, which is not supported. ${convert(file)}`
}

/** The message for an archive with such a file or folder. */
export function otherFile(archive: string, names: readonly string[]): string | undefined {
  const found = names.map((name) => FILES.exec(name)?.[1]).find((name) => name !== undefined)
  if (found === undefined) return undefined
  return found.toLowerCase() === 'xl'
    ? `${archive} is an Excel workbook, which is not supported. Save it as CSV, or convert it: ogr2ogr -f CSV streets.csv ${archive}`
    : `The zip archive contains ${found}, which is not supported. ${convert(found)}`
}

const convert = (file: string) =>
  `Convert it: ogr2ogr -f CSV streets.csv ${file} LAYER (ogrinfo ${file} lists its layers).`
