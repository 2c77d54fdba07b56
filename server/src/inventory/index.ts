/** Public API: loading the number inventory, and what housekeeping deletes. */
export { deleteOldChanges } from './availability.ts'
export { loadInventory } from './load.ts'
