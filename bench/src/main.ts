import { parseArgs } from 'node:util'
import { benchExports } from './exports.ts'
import { benchNumbers } from './numbers.ts'

/**
 * `npm run bench -- numbers` or `npm run bench -- exports [--rows=10000000]`. Each measures Demarc and what a user would take
 * instead, turn by turn in one run: the ratios hold where the seconds do not.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '10000000' } },
})
const benches: Record<string, () => Promise<void>> = {
  numbers: benchNumbers,
  exports: () => benchExports(Number(values.rows)),
}

for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  const bench = benches[name]
  if (!bench) throw new Error(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(', ')}.`)
  await bench()
}
