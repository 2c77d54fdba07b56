import { useEffect, useRef, useState } from 'react'

/** After the last key, before what was typed is sent. */
const typing_ms = 120

/** The text of a field while it is typed. `value` is that of the URL; `onChange` gets it after a pause. */
export function useTyping(value: string, onChange: (value: string) => void) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // the URL changed by another way, such as Back
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return undefined
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text)
    }, typing_ms)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return [text, setText] as const
}
