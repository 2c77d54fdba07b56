/** Public API: loading the number inventory. */
export { loadInventory } from './load.ts'
