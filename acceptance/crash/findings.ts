/** What the count found wrong. None of it may ever be. */
export class Findings {
  /** Acknowledged and missing. */
  readonly lost: string[] = []
  /** There twice. */
  readonly doubled: string[] = []
  /** Anything else: an effect of what was refused, a process too many, a job that is stuck. */
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

  /** Wrong unless it holds. */
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
