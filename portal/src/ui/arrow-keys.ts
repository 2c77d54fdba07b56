import type { TextFieldProps } from 'react-aria-components'

/** Handles the arrow keys of a text field. Other keys propagate, so Escape closes the dialog. */
export const onArrows =
  (step: (by: 1 | -1) => void): NonNullable<TextFieldProps['onKeyDown']> =>
  (event) => {
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else event.continuePropagation()
  }
