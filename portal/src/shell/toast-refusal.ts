import { refusalOf } from '../api.ts'
import { toast } from '../ui/index.ts'

/** Shows the API's refusal in the corner, for changes without a form. */
export const toastRefusal = (error: unknown): void => toast(refusalOf(error).title, { kind: 'refused' })
