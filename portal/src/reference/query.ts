import type { ApiDocument } from '@demarc/client/rules'
import { queryOptions } from '@tanstack/react-query'
import { readPath } from '../api.ts'

/** The OpenAPI description, as the service that the page came from serves it: it does not change while that runs. */
export const apiDescription = queryOptions({
  queryKey: ['openapi.json'],
  staleTime: Infinity,
  // the path has nothing else, and a test compares it with the operations
  queryFn: async ({ signal }) => (await readPath('/openapi.json', signal)) as ApiDocument,
})
