import { useEffect, useRef, useState } from 'react'

/** After the last key, before what was typed is sent. */
const typing_ms = 120

/** Between what is sent at once: browsers refuse to change the URL more often. */
const between_ms = 50

/**
 * The text of a field while it is typed. `value` is that of the URL; `onChange` gets it after a pause, or, where what it starts is
 * quick, with each key.
 */
export function useTyping(value: string, onChange: (value: string) => void, { each_key = false } = {}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const sent_at = useRef(0)
  useEffect(() => {
    // the URL changed by another way, such as Back
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return undefined
    const send = () => {
      sent.current = text
      sent_at.current = performance.now()
      onChange(text)
    }
    const wait_ms = each_key ? sent_at.current + between_ms - performance.now() : typing_ms
    if (wait_ms <= 0) return send()
    const timer = setTimeout(send, wait_ms)
    return () => clearTimeout(timer)
  }, [text, onChange, each_key])
  return [text, setText] as const
}
