/**
 * The parts of an OpenAPI 3.1 document that the fuzzer needs. Read as JSON without any of the service's code, because it is the
 * reference.
 */

export type Schema = Record<string, unknown>

export interface Media {
  schema?: Schema
}

export interface Operation {
  operationId: string
  security?: Record<string, unknown>[]
  parameters?: { $ref?: string; name?: string; in?: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, DescribedResponse>
}

interface DescribedResponse {
  $ref?: string
  content?: Record<string, Media>
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, DescribedResponse> }
}

export interface Target {
  method: string
  path: string
  operation: Operation
}

/** Skipped: they move the clock or end keys and sessions, and later failures could not be told apart from these effects. */
const SKIPPED = new Set([
  'moveClock',
  'closeAccount',
  'revokeKey',
  'revokeOperatorKey',
  'rotateSigningSecret',
  'revokeOwnKey',
  'signOut',
  'endSession',
  // refusals there are counted and recorded to prevent guessing a second factor
  'confirmSignIn',
  'confirmIdentity',
])

/** Whether the operation requires a session. */
export const needsSession = ({ security = [] }: Operation): boolean =>
  security.length > 0 && security.every((scheme) => 'session' in scheme)

/** Every operation to test, with references to shared responses resolved. */
export function targets(document: Document): Target[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      SKIPPED.has(operation.operationId)
        ? []
        : [
            {
              method: method.toUpperCase(),
              path,
              operation: { ...operation, responses: responsesOf(document, operation) },
            },
          ],
    ),
  )
}

const responsesOf = ({ components }: Document, { responses }: Operation): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { $ref, ...own }]) => {
      const found = $ref === undefined ? own : components.responses[$ref.replace('#/components/responses/', '')]
      if (!found) throw new Error(`openapi.json has no ${$ref}`)
      return [status, found]
    }),
  )
