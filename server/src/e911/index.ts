/** Public API: emergency addresses, the jobs that follow a change of street data, and the files that are still needed. */
export { createAddress, requireAddress, validate } from './actions.ts'
export { referencedFiles, storedFiles } from './bulk/actions.ts'
export { storedBytes } from './bulk/store.ts'
export { followUps } from './datasets/follow-ups.ts'
export { e911Attributes, e911Path, presentLocation } from './document.ts'
export {
  addressNames,
  countAddressesByState,
  findAddress,
  lockAddressForKeyShare,
  recheckDue,
  searchAddresses,
  type ActiveData,
} from './store.ts'
