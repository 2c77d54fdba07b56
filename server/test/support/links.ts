/** A signed link whose signature is another one, whatever it was. */
export const forged = (link: string): string =>
  link.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`)
