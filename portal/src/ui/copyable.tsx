import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import css from './copyable.module.css'

/** How long the tick is shown. */
const ticked_ms = 1_500

/** Something that can be copied by one click; what is copied may be written otherwise than what is shown. */
export function Copyable({
  text,
  children,
  label,
  onCopied,
  block = false,
}: {
  text: string
  children?: ReactNode
  label?: string
  onCopied?: () => void
  /** As wide as what it stands in, for code. */
  block?: boolean
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), ticked_ms)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <span className={`${css.copyable} ${block ? css.block : ''}`}>
      <span className={css.text}>{children ?? <code>{text}</code>}</span>
      <button
        type="button"
        className={css.button}
        aria-label={copied ? 'Copied' : `Copy ${label ?? text}`}
        title={`Copy ${label ?? text}`}
        onClick={() => {
          void copy(text)
            .then(() => setCopied(true))
            .then(onCopied)
        }}
      >
        {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      </button>
    </span>
  )
}

/** The clipboard is there on pages that came over TLS or from this machine; elsewhere the text is selected and copied. */
async function copy(text: string): Promise<void> {
  if ('clipboard' in navigator) return await navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
