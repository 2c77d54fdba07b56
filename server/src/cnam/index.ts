/** The door: caller-ID names, and whether one can be given to a number. */
export { cnamStanding, createCnam, decideCnam, requireCnam } from './actions.ts'
export { cnamPath } from './document.ts'
export { whyNotAssignable } from './rules.ts'
