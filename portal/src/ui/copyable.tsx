import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import css from './copyable.module.css'

/** How long the check mark is shown. */
const ticked_ms = 1_500

interface CopyableProps {
  text: string
  children?: ReactNode
  label?: string
  onCopied?: () => void
  /** Full width, for code. */
  block?: boolean
}

/** Text with a copy button; the copied text may differ from the displayed one. */
export function Copyable({ text, children, label, onCopied, block = false }: CopyableProps) {
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

/** The clipboard API needs HTTPS or localhost; elsewhere the text is selected and copied. */
async function copy(text: string): Promise<void> {
  if ('clipboard' in navigator) return await navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** A link or secret, shown in full with a copy button. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div className={css.secret}>
      <Copyable text={text} label={label} />
    </div>
  )
}
