/** For tests: the smallest files of each detected type. */

export const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')
export const tiff = Buffer.from('49492a0008000000010000010300010000000100000000000000', 'hex')
export const csv = Buffer.from('number,name\n+12065550100,Zoë Núñez\n')
export const latin = Buffer.from('Straße;Łódź'.replace(/[Łź]/g, 'x'), 'latin1')
export const html = Buffer.from('<!DOCTYPE html>\n<html><body>Please sign in</body></html>')

const content_types = '[Content_Types].xml'
export const docx = zip([content_types, '_rels/.rels', 'word/document.xml', 'word/styles.xml'])
export const xlsx = zip([content_types, 'xl/workbook.xml', 'xl/worksheets/sheet1.xml'])
export const docm = zip([content_types, 'word/document.xml', 'word/vbaProject.bin'])
export const doc = compound(['Root Entry', '1Table', 'WordDocument'])
export const xls = compound(['Root Entry', 'Workbook'])

/** A ZIP of these entries, each holding `size` zero bytes, not compressed. */
export function zip(names: readonly string[], size = 4): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const text of names) {
    const name = Buffer.from(text)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt32LE(size, 18)
    local.writeUInt32LE(size, 22)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt32LE(size, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    locals.push(local, name, Buffer.alloc(size))
    entries.push(entry, name)
    at += 30 + name.length + size
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}

/** A compound file (OLE) with a directory of these streams. */
export function compound(names: readonly string[]): Buffer {
  const header = Buffer.alloc(512)
  header.write('d0cf11e0a1b11ae1', 'hex')
  const entries = names.map((name) => {
    const entry = Buffer.alloc(128)
    entry.write(name, 'utf16le')
    entry.writeUInt16LE((name.length + 1) * 2, 64)
    return entry
  })
  const directory = Buffer.concat(entries)
  return Buffer.concat([header, Buffer.alloc(512), directory, Buffer.alloc(512 - (directory.length % 512))])
}
