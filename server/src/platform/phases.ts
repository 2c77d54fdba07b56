/** What a start spends its time on, for the log. */
export interface Phases {
  /** Does a part of the start; parts may overlap. */
  during<T>(name: string, work: () => Promise<T> | T): Promise<T>
  /** The parts in the order in which they began: the age of the process by then, and how long each took, milliseconds. */
  measured(): readonly { name: string; from_ms: number; ms: number }[]
}

export function createPhases(): Phases {
  const phases: { name: string; from_ms: number; ms: number }[] = []
  return {
    async during(name, work) {
      const from_ms = Math.round(performance.now())
      const phase = { name, from_ms, ms: 0 }
      phases.push(phase)
      try {
        return await work()
      } finally {
        phase.ms = Math.round(performance.now() - from_ms)
      }
    },
    measured: () => phases,
  }
}
