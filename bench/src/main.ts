import { parseArgs } from 'node:util'
import { benchE911 } from './e911.ts'
import { benchExports } from './exports.ts'
import { benchNumbers } from './numbers.ts'
import { benchPortOrders } from './port-orders.ts'
import { benchStart } from './start.ts'

/**
 * `npm run bench -- numbers`, `port-orders`, `exports [--rows=10000000]`, `e911 [--streets=5000000]` or `start`. Where there is an
 * alternative to compare with, both are measured alternately in one run: ratios are comparable between machines, seconds are not.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '10000000' }, streets: { type: 'string', default: '5000000' } },
})
const benches: Record<string, () => Promise<void>> = {
  numbers: benchNumbers,
  'port-orders': benchPortOrders,
  exports: () => benchExports(Number(values.rows)),
  e911: () => benchE911(Number(values.streets)),
  start: benchStart,
}

for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  const bench = benches[name]
  if (!bench) throw new Error(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(', ')}.`)
  await bench()
}
