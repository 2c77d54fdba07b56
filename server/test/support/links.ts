/** A signed link with another signature. */
export const forged = (link: string): string =>
  link.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`)
