import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { everything, refusalOf } from '../api.ts'
import { saveFile } from '../shell/save-file.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { loadCatalog } from './names.ts'
import { tableOf } from './table-file.ts'

/** Saves all matching numbers as a CSV that can be edited and imported. */
export function ExportButton({ query }: { query: Record<string, string | number | boolean> }) {
  const save = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = query
      const [numbers, catalog] = await Promise.all([everything('listNumbers', { query: filters }), loadCatalog()])
      saveFile('numbers.csv', 'text/csv', tableOf(numbers, catalog))
      return numbers.length
    },
    onSuccess: (count) =>
      toast(count === 1 ? 'Exported 1 number to numbers.csv.' : `Exported ${count} numbers to numbers.csv.`),
    onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
  })
  return (
    <Button onPress={() => save.mutate()} isPending={save.isPending}>
      <Download aria-hidden="true" />
      Export
    </Button>
  )
}
