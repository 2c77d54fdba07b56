import { Upload } from 'lucide-react'
import { Button, DropZone, FileTrigger, Text, type FileDropItem } from 'react-aria-components'
import css from './file-drop.module.css'

interface FileDropProps {
  label: string
  hint?: string
  /** Media types or extensions for the file picker. */
  accept?: readonly string[]
  multiple?: boolean
  onFiles(files: File[]): void
}

/** Accepts dropped, pasted, or chosen files. The API validates them. */
export function FileDrop({ label, hint, accept, multiple = false, onFiles }: FileDropProps) {
  return (
    <DropZone
      className={css.drop ?? ''}
      onDrop={(event) => {
        const items = event.items.filter((item): item is FileDropItem => item.kind === 'file')
        void Promise.all(items.map((item) => item.getFile())).then((files) => files.length > 0 && onFiles(files))
      }}
    >
      <Upload aria-hidden="true" />
      <Text slot="label">{label}</Text>
      <FileTrigger
        allowsMultiple={multiple}
        {...(accept === undefined ? {} : { acceptedFileTypes: accept })}
        onSelect={(list) => {
          if (list !== null && list.length > 0) onFiles([...list])
        }}
      >
        <Button className={css.choose ?? ''}>Choose {multiple ? 'files' : 'a file'}</Button>
      </FileTrigger>
      {hint !== undefined && <span className={css.hint}>{hint}</span>}
    </DropZone>
  )
}
