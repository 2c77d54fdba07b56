import * as z from 'zod'

/** `detail` on the wire: a sentence, a corrected address, or field → messages. */
const detail = z.union([z.string(), z.record(z.string(), z.string()), z.record(z.string(), z.array(z.string()))])
/** `detail` of an error: a sentence, a corrected address, or messages by field. */
export type ProblemDetail = z.infer<typeof detail>

/** One entry of `errors`. 403 has no id and an empty detail; 422 for bad input has no title. */
export const wireError = z
  .object({
    id: z.uuid().optional(),
    status: z.int(),
    title: z.string().optional(),
    detail,
    /** JSON pointer to the invalid field, where `detail` is a sentence about one field. */
    source: z.object({ pointer: z.string() }).optional(),
    /** The reason for a corrected address, for example that the street ends before the number. */
    meta: z.object({ reason: z.string() }).optional(),
  })
  .meta({ id: 'Error' })
/** An entry of `errors` in the body of an error response. */
export type WireError = z.infer<typeof wireError>

/** The body of every error response. */
export const wireErrors = z.object({ errors: z.array(wireError) }).meta({ id: 'Errors' })
