/** Public API: loading the number inventory, what housekeeping checks and deletes, and a gauge. */
export { deleteOldChanges } from './availability.ts'
export { loadInventory } from './load.ts'
export { countLow } from './report-store.ts'
export { checkStock } from './stock.ts'
