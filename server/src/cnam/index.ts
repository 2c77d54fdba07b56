/** Public API: caller ID names, and whether one can be assigned to a number. */
export { lockCnamStatusForShare, createCnam, decideCnam, requireCnam } from './actions.ts'
export { cnamPath } from './document.ts'
export { cnamAssignmentError } from './rules.ts'
export { cnamNames, searchCnams } from './store.ts'
