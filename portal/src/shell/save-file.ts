/** Saves what a page has made as a file of this name, as a download. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the download has begun with the click
  URL.revokeObjectURL(url)
}
