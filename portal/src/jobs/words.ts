import { failingReceivers_max } from '@demarc/client/rules'

/** How many endpoints are failing. The list ends at a limit. */
export function failingText(count: number): string {
  if (count === 0) return 'No endpoints are failing'
  if (count === 1) return '1 endpoint is failing'
  return `${count >= failingReceivers_max ? 'At least ' : ''}${count} endpoints are failing`
}
