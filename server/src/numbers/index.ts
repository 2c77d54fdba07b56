/** Public API: accounts' numbers, their related resources, and the functions injected into features below. */
export {
  addNumbers,
  assignCnam,
  createNumbers,
  lockNumberForUpdate,
  removeNumber,
  requireNumber,
  setCnam,
  setE911,
  setVoiceRoute,
  updateNumber,
  type NumberInput,
} from './actions.ts'
export { numberDocument } from './document.ts'
export { numberTypeOf, prefixRange } from './rules.ts'
export {
  clearCnamFromNumbers,
  countNumbersByAccount,
  countNumbersByVoiceRoute,
  findNumber,
  lockNumbersForUpdate,
  numberHolders,
  numbersOfCnam,
  takenNumbers,
} from './store.ts'
export type { NumberRow } from './store.ts'
export { searchNumbers } from './search-store.ts'
