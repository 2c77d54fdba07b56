/** Public API: numbers of accounts, their related resources, and the functions that features below are handed. */
export {
  addNumbers,
  assignCnam,
  createNumbers,
  setCnam,
  setE911,
  setVoiceRoute,
  updateNumber,
  type NumberInput,
} from './actions.ts'
export { prefixRange } from './rules.ts'
export {
  clearCnamFromNumbers,
  countNumbersByAccount,
  countNumbersByVoiceRoute,
  findNumber,
  numberHolders,
  numbersOfCnam,
  takenNumbers,
} from './store.ts'
export { searchNumbers } from './search-store.ts'
