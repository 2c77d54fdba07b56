/** The door: numbers of accounts, what hangs on them, and what the features below need to know of them. */
export {
  addNumbers,
  assignCnam,
  createNumbers,
  giveCnam,
  giveE911,
  setRoute,
  updateNumber,
  type NumberWish,
} from './actions.ts'
export { countNumbersByRoute, takeCnamOff, takenNumbers } from './store.ts'
