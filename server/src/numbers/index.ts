/** Public API: accounts' numbers, their related resources, and the functions injected into features below. */
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
