/** A `fetch` that reports upload progress, which the platform's does not. */
export const fetchWithProgress =
  (onSent: (bytes: number) => void): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest()
      sending.open(init.method ?? 'GET', input instanceof Request ? input.url : input)
      for (const [name, value] of new Headers(init.headers)) sending.setRequestHeader(name, value)
      sending.responseType = 'arraybuffer'
      sending.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
      sending.addEventListener('load', () => resolve(responseOf(sending)))
      // fetch does the same without a response
      sending.addEventListener('error', () => reject(new TypeError('The file could not be sent.')))
      sending.addEventListener('abort', () => reject(init.signal?.reason as Error))
      init.signal?.addEventListener('abort', () => sending.abort())
      sending.send(init.body as XMLHttpRequestBodyInit)
    })

function responseOf(sent: XMLHttpRequest): Response {
  const lines = sent.getAllResponseHeaders().trim().split(/\r?\n/)
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':')
    return [name, value.join(':').trim()]
  })
  return new Response(sent.response as ArrayBuffer, { status: sent.status, headers })
}

/** Downloads generated content as a file. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the click has started the download
  URL.revokeObjectURL(url)
}
