import type { TextFieldProps } from 'react-aria-components'

/** A step by the arrows of a text field. Every other key goes on to what is around it: Escape closes the dialog. */
export const onArrows =
  (step: (by: 1 | -1) => void): NonNullable<TextFieldProps['onKeyDown']> =>
  (event) => {
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else event.continuePropagation()
  }
