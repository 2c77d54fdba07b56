/** The door: numbers of accounts, what hangs on them, and what the features below need to know of them. */
export {
  addNumbers,
  assignCnam,
  createNumbers,
  giveCnam,
  requireNumber,
  setRoute,
  unassignCnam,
  updateNumber,
  type NumberWish,
} from './actions.ts'
export { numberTypeOf, tollFreeCodes } from './rules.ts'
export { countNumbersByRoute, takeCnamOff, takenNumbers } from './store.ts'
