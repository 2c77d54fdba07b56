/** A count and its noun: `1 number`, `2,000 numbers`. `many` is for a plural that does not just end in s. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en-US')} ${many}`
