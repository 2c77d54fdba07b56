import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Where the embedded database of a data folder is reached, as a client of PostgreSQL takes it. */
export async function databaseOf(
  data_dir: string,
): Promise<{ host: string; port: number; user: string; database: string }> {
  const moved = await readFile(path.join(data_dir, 'postgres/moved-to'), 'utf8').catch(absent)
  const cluster = path.join(moved?.trim() ?? path.join(data_dir, 'postgres'), 'cluster')
  // its fourth line is the port, its fifth the folder of the socket
  const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  return { host: lines[4] ?? '', port: Number(lines[3]), user: 'postgres', database: 'demarc' }
}

/** Null for a file that is not there; other errors are thrown. */
export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
