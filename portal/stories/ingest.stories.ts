import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('uploads call records and shows rejected lines with reasons and as a file', async () => {
    const { page, close } = await stage.visit('operator', '/operator/ingest')
    await page.getByText(/^The last delivery arrived .+; the usual interval is 6 hours\./).waitFor()
    const id = `story-${Date.now()}`
    const good = `{"account_id":"1001","id":"${id}","direction":"outbound","start_time":"2026-03-01T12:00:00Z","end_time":"2026-03-01T12:01:10Z","destination":"+12065550100","callerid":"","result":"completed","duration":70,"billed_duration":72}`
    const buffer = Buffer.from(`${good}\n${good}\n${good.replace('"duration":70', '"duration":-4')}\n`)
    await page.getByRole('button', { name: 'Deliver a file' }).click()
    const dialog = page.getByRole('dialog')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name: 'calls.ndjson', mimeType: 'application/x-ndjson', buffer })
    await dialog.getByRole('button', { name: 'Deliver', exact: true }).click()
    await dialog.getByText(/^Line 3: duration /).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'With rejected lines' }).click()
    await page
      .getByRole('link', { name: /^1 line rejected in delivery / })
      .first()
      .click()
    // directly from the URL
    await page.waitForURL(/refused=\d+/)
    await page.reload()
    await dialog.getByText('Line 3').waitFor()
    await dialog.getByText(id).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^demarc-refused-\d+\.ndjson$/)
    await close()
  })
}

export default stories
