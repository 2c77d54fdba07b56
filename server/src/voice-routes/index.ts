/** Public API: voice routes, which define where calls go, and the carrier's edge strategies. */
export { createEdgeStrategy, createVoiceRoute, voiceRouteError } from './actions.ts'
export { voiceRouteAttributes, voiceRoutePath } from './document.ts'
export { defaultVoiceRouteId } from './rules.ts'
export { voiceRouteNames } from './store.ts'
