/** Whether bytes are text, told while they pass. `markup`: text that a browser would run. */
export interface TextCheck {
  take(chunk: Uint8Array): void
  verdict(): 'text' | 'markup' | 'binary'
}

const head_bytes = 4096

/**
 * Text is UTF-8 or Latin (Windows-1252) without control characters other than tab, line feed, form feed and carriage
 * return. Bytes that are not UTF-8 are Latin then: every byte from 0x20 on has a character there.
 */
export function createTextCheck(): TextCheck {
  let plain = true
  let head = ''
  return {
    take(chunk) {
      if (!plain) return
      plain = !chunk.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)
      if (head.length < head_bytes) head += Buffer.from(chunk.subarray(0, head_bytes - head.length)).toString('latin1')
    },
    verdict() {
      if (!plain) return 'binary'
      return markup.test(head) ? 'markup' : 'text'
    },
  }
}

/** What browsers take for a page (WHATWG MIME Sniffing, 7.1), XML, and pages that begin with something else. */
const markup =
  /^(?:\xef\xbb\xbf)?\s*<(?:[!?/]|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|meta|link|base|form|img|object|embed)\b)|<!doctype\s+html|<(?:html|script)[\s>]/i
