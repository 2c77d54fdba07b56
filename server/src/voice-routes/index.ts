/** The door: where calls can go, and the carrier's edge strategies. */
export { createEdgeStrategy, createRoute, whyNotRoute } from './actions.ts'
export { routeAttributes, routePath } from './document.ts'
export { defaultRouteId } from './rules.ts'
