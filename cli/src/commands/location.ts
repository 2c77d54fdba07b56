import { operations } from '@demarc/client'
import { exchange } from '../files.ts'
import type { Noun } from '../verb.ts'

/** The location server for next-generation 911. Requests and responses are XML. */
export const location: Noun = {
  name: 'location',
  summary: 'The location server for next-generation 911 (XML)',
  verbs: [
    exchange('held', operations.requestLocation, { examples: ['location held request.xml'] }),
    exchange('lost', operations.requestEmergencyService, { examples: ['location lost - < request.xml'] }),
  ],
}
