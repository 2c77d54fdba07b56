import { crc32, deflateRawSync } from 'node:zlib'

/** For tests: a zip archive whose directory entries all point to the same file. */
export function overlappingZip(name: string, content: string | Uint8Array, entries: number): Buffer {
  const archive = zipOf({ [name]: content })
  const [entry_start, end_start] = [archive.lastIndexOf('PK\x01\x02', undefined, 'latin1'), archive.length - 22]
  const entry = archive.subarray(entry_start, end_start)
  const end = Buffer.from(archive.subarray(end_start))
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(entry.length * entries, 12)
  return Buffer.concat([archive.subarray(0, entry_start), ...Array.from({ length: entries }, () => entry), end])
}

/** For tests: a zip archive of the files. `stored` leaves them uncompressed. */
export function zipOf(files: Record<string, string | Uint8Array>, stored = false): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content)
    const packed = stored ? raw : deflateRawSync(raw)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(stored ? 0 : 8, 4)
    fields.writeUInt32LE(crc32(raw), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(raw.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), packed])
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02', 0, 'latin1')
    entry.writeUInt16LE(20, 4)
    fields.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    directory.push(Buffer.concat([entry, Buffer.from(name)]))
    bodies.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, central, end])
}
