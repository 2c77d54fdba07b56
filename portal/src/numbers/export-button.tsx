import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { everything, refusalOf } from '../api.ts'
import { saveFile } from '../shell/save-file.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { loadCatalog } from './names.ts'
import { tableOf } from './table-file.ts'

/** Saves all numbers that match as a CSV, which can be changed and imported. */
export function ExportButton({ query }: { query: Record<string, string | number | boolean> }) {
  const save = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = query
      const [numbers, catalog] = await Promise.all([everything('listNumbers', { query: filters }), loadCatalog()])
      saveFile('numbers.csv', 'text/csv', tableOf(numbers, catalog))
      return numbers.length
    },
    onSuccess: (count) => toast(count === 1 ? '1 number is in numbers.csv.' : `${count} numbers are in numbers.csv.`),
    onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
  })
  return (
    <Button onPress={() => save.mutate()} isPending={save.isPending}>
      <Download aria-hidden="true" />
      Export
    </Button>
  )
}
