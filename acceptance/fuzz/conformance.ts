import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Document, Schema, Target } from './document.ts'
import type { Attempt, Received } from './requests.ts'

/** Lists deviations of a response from openapi.json, using an independent JSON Schema validator. */
export class Conformance {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  readonly #known = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.#ajv.addSchema({ $id: 'openapi', components: document.components })
  }

  /** One sentence per deviation. */
  violations({ operation }: Target, { method }: Attempt, { status, headers, body }: Received): string[] {
    if (status >= 500) return [`${status} ${body.toString().slice(0, 300)}`]
    const declared = operation.responses[String(status)]
    if (!declared) return [`status ${status} is not documented: ${body.toString().slice(0, 300)}`]
    if (headers['x-request-id'] === undefined) return ['no X-Request-Id']
    const content = Object.entries(declared.content ?? {})
    if (content.length === 0) return body.length === 0 ? [] : [`${status} has a body and none is documented`]
    const type = headers['content-type']?.split(';')[0] ?? ''
    const media = content.find(([name]) => name === type)
    if (!media) return [`${status} is of type ${type}, which is not documented`]
    if (method === 'HEAD' || !media[1].schema) return []
    const json = parsed(body)
    if (json === undefined) return [`${status} is not JSON: ${body.toString().slice(0, 100)}`]
    const check = this.#validator(`${operation.operationId} ${status} ${type}`, media[1].schema)
    const problems = check(json)
      ? []
      : [`${status} ${this.#ajv.errorsText(check.errors)}: ${body.toString().slice(0, 300)}`]
    return status >= 400 ? [...problems, ...envelopeViolations(status, json)] : problems
  }

  #validator(key: string, schema: Schema): ValidateFunction {
    const known = this.#known.get(key)
    if (known) return known
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')) as Schema
    const made = this.#ajv.compile(absolute)
    this.#known.set(key, made)
    return made
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** `{"errors": [...]}` with at least one entry, each with its status; a 403 has neither id nor detail. */
function envelopeViolations(status: number, json: unknown): string[] {
  const errors = (json as { errors?: unknown } | null)?.errors
  if (!Array.isArray(errors) || errors.length === 0) return [`${status} without errors`]
  return (errors as Record<string, unknown>[]).flatMap((error) => [
    ...(Number.isInteger(error['status']) ? [] : [`an error without a status: ${JSON.stringify(error)}`]),
    ...(status === 403 || typeof error['id'] === 'string' ? [] : [`an error without an id: ${JSON.stringify(error)}`]),
    ...('detail' in error ? [] : [`an error without a detail: ${JSON.stringify(error)}`]),
  ])
}
