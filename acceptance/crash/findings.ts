/** Errors that the count found. Every list must be empty. */
export class Findings {
  /** Acknowledged and missing. */
  readonly lost: string[] = []
  /** Present twice. */
  readonly doubled: string[] = []
  /** Anything else: an effect of a refused request, an extra process, a stuck job. */
  readonly others: string[] = []

  lose(what: string): void {
    this.lost.push(what)
  }

  double(what: string): void {
    this.doubled.push(what)
  }

  wrong(what: string): void {
    this.others.push(what)
  }

  /** Records an error unless the condition holds. */
  expect(holds: boolean, what: string): void {
    if (!holds) this.wrong(what)
  }

  get all(): string[] {
    return [
      ...this.lost.map((each) => `lost: ${each}`),
      ...this.doubled.map((each) => `doubled: ${each}`),
      ...this.others,
    ]
  }
}
