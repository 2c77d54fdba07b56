/** How long the phases of a start take, for the log. */
export interface Phases {
  /** Runs a phase of the start; phases may overlap. */
  during<T>(name: string, work: () => Promise<T> | T): Promise<T>
  /** The phases in order of their start: the process's age at that point, and the duration of each, in milliseconds. */
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
