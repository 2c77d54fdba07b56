import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { clientWith, refusalOf, withSession } from '../api.ts'
import { IconButton, Problem, Stack } from '../ui/index.ts'
import { fetchWithProgress } from '../files.ts'
import css from './documents.module.css'

interface Upload {
  id: number
  file: File
  sent: number
  error: unknown
}

/** Uploads in progress, and refused ones. */
export function useUploads(order_id: string) {
  const cache = useQueryClient()
  const [sending, setSending] = useState<readonly Upload[]>([])
  const [next_id, setNextId] = useState(1)
  const change = (id: number, now: Partial<Upload>) =>
    setSending((list) => list.map((each) => (each.id === id ? { ...each, ...now } : each)))
  const close = (id: number) => setSending((list) => list.filter((each) => each.id !== id))
  const sendOne = async ({ id, file }: Upload) => {
    try {
      await withSession(() =>
        clientWith({ fetch: fetchWithProgress((sent) => change(id, { sent })) }).uploadPortOrderFile({
          params: { portorder_id: order_id, file: file.name },
          body: file,
          content_type: 'application/octet-stream',
        }),
      )
    } catch (error) {
      change(id, { error })
      return
    }
    await cache.invalidateQueries()
    close(id)
  }
  const send = (files: readonly File[]) => {
    const uploads = files.map((file, i): Upload => ({ id: next_id + i, file, sent: 0, error: null }))
    setNextId(next_id + files.length)
    setSending((list) => [...list, ...uploads])
    for (const each of uploads) void sendOne(each)
  }
  return { sending, send, close }
}

/** An upload's progress or refusal. */
export function Sending({ upload: { file, sent, error }, onClose }: { upload: Upload; onClose(): void }) {
  if (error !== null)
    return (
      <Stack gap="tight">
        <p className={css.refusedName}>
          {file.name} <IconButton name="Close" icon={<X />} onPress={onClose} />
        </p>
        <Problem refusal={refusalOf(error)} />
      </Stack>
    )
  return (
    <label className={css.sending}>
      {file.name}
      <progress value={Math.min(sent, file.size)} max={file.size} />
    </label>
  )
}
