/** Public API: loading the number inventory, port-outs, what housekeeping checks and deletes, and a gauge. */
export { deleteOldChanges } from './availability.ts'
export { loadInventory } from './load.ts'
export { changePortout, createPortout } from './portouts/actions.ts'
export { countLow } from './report-store.ts'
export { checkStock } from './stock.ts'
