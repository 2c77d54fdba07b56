import { operations } from '@demarc/client'
import { portOrderIds } from '../../complete-ids.ts'
import { download, upload } from '../../files.ts'
import { plain } from '../../plain.ts'
import type { Verb } from '../../verb.ts'

/** Documents of a port order: bills and LOAs. */

const portorder_id = { name: 'order', summary: 'ID of the port order', complete: portOrderIds }
const file = { name: 'document', summary: 'ID of the document' }

const documents = plain('documents', operations.listPortOrderFiles, {
  arguments: { portorder_id },
  columns: ['id', 'filename', 'status', 'bytes', 'created_at'],
  examples: ['port documents 7'],
})

const document = plain('document', operations.getPortOrderFile, {
  arguments: { portorder_id, file },
  examples: ['port document 7 3'],
})

const getDocument = download('download', operations.getPortOrderFileContent, {
  arguments: { portorder_id, file },
  examples: ['port download 7 3 -o loa.pdf'],
})

const putDocument = upload('upload', operations.uploadPortOrderFile, {
  arguments: { portorder_id },
  name: 'file',
  media: {},
  examples: ['port upload 7 bill.pdf'],
})

const pull = plain('pull', operations.requestPortOrderFile, {
  arguments: { portorder_id },
  fields: { url: { value: 'url', summary: 'URL of the document' } },
  examples: ['port pull 7 --url "https://files.example/bill?id=7&filename=bill.pdf"'],
})

const verifyLoa = upload('verify-loa', operations.verifyLoa, {
  summary: 'Verify that a PDF is the signed Letter of Agency (operator)',
  arguments: { portorder_id },
  media: { '.pdf': 'application/pdf' },
  examples: ['port verify-loa 7 loa.pdf'],
})

export const documentVerbs: readonly Verb[] = [documents, document, getDocument, putDocument, pull, verifyLoa]
