import { createDemarcClient, downloadExport, signWebhook, verifyWebhook } from '@demarc/client'

/**
 * A browser program: a request, a download, and a signature check, with three operations. It reports its result in the page
 * title.
 */

const client = createDemarcClient({ base_url: location.origin, retry: { base_ms: 1 } })
const { body } = await client.listNumbers()
const { stream } = await downloadExport(client, '2')
const text = await new Response(stream).text()
const secret = `whsec_${btoa('a secret for tests')}`
const event = { type: 'cdrexport.completed', data: { id: '2' } }
const signed = await signWebhook(event, secret)
const { type } = await verifyWebhook(signed.body, signed.headers, secret)
document.title = JSON.stringify({ numbers: body.data.length, text, type })
