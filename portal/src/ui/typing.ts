import { useEffect, useRef, useState } from 'react'

/** Delay between the last keystroke and the request. */
const typing_ms = 120

/** The minimum interval for immediate updates: browsers limit how often the URL changes. */
const between_ms = 50

/** The text of a field during typing. `value` comes from the URL; `onChange` is called after a pause, or with each key if updates are cheap. */
export function useTyping(value: string, onChange: (value: string) => void, { each_key = false } = {}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const sent_at = useRef(0)
  useEffect(() => {
    // the URL changed otherwise, such as by Back
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
