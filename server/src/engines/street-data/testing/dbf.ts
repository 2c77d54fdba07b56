/** For tests: a dBASE table of text columns, like the attribute part of a shapefile. */
export function dbfOf(records: readonly Record<string, string>[]): Buffer {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const widths = names.map((name) => Math.max(1, ...records.map((record) => Buffer.byteLength(record[name] ?? ''))))
  const header = Buffer.alloc(32 + names.length * 32 + 1)
  const record_length = 1 + widths.reduce((sum, width) => sum + width, 0)
  header[0] = 3
  header.writeUInt32LE(records.length, 4)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt16LE(record_length, 10)
  names.forEach((name, i) => {
    header.write(name.toUpperCase().slice(0, 10), 32 + i * 32, 'latin1')
    header.write('C', 32 + i * 32 + 11, 'latin1')
    header[32 + i * 32 + 16] = widths[i] ?? 0
  })
  header[header.length - 1] = 0x0d
  const rows = records.map((record) => {
    const cells = names.map((name, i) => {
      const value = record[name] ?? ''
      return value + ' '.repeat((widths[i] ?? 0) - Buffer.byteLength(value))
    })
    return Buffer.from(` ${cells.join('')}`)
  })
  return Buffer.concat([header, ...rows, Buffer.from([0x1a])])
}
