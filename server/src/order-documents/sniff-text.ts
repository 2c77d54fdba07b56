/** Detects whether a stream is text. `markup`: text that a browser would render. */
export interface TextCheck {
  update(chunk: Uint8Array): void
  result(): 'text' | 'markup' | 'binary'
}

const head_bytes = 4096

/**
 * Text is UTF-8 or Latin (Windows-1252) without control characters other than tab, line feed, form feed and carriage
 * return. Other bytes than UTF-8 are then Latin, where every byte from 0x20 on is a character.
 */
export function createTextCheck(): TextCheck {
  let plain = true
  let head = ''
  return {
    update(chunk) {
      if (!plain) return
      plain = !chunk.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)
      if (head.length < head_bytes) head += Buffer.from(chunk.subarray(0, head_bytes - head.length)).toString('latin1')
    },
    result() {
      if (!plain) return 'binary'
      return markup.test(head) ? 'markup' : 'text'
    },
  }
}

/** What browsers detect as HTML (WHATWG MIME Sniffing, 7.1), XML, and HTML that begins with something else. */
const markup =
  /^(?:\xef\xbb\xbf)?\s*<(?:[!?/]|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|meta|link|base|form|img|object|embed)\b)|<!doctype\s+html|<(?:html|script)[\s>]/i
