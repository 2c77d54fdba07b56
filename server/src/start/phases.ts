/** How long the phases of a start take, for the log. */
export interface Phases {
  /** Runs a phase of the start; phases may overlap. */
  during<T>(name: string, work: () => Promise<T> | T): Promise<T>
  /** The names of the phases in progress, in order of their start. */
  unfinished(): readonly string[]
  /** The phases in order of their start: the process's age at that point, and the duration of each, in milliseconds. */
  measured(): readonly { name: string; from_ms: number; ms: number }[]
}

export function createPhases(): Phases {
  const phases: { name: string; from_ms: number; ms: number }[] = []
  const running = new Set<string>()
  return {
    async during(name, work) {
      const from_ms = Math.round(performance.now())
      const phase = { name, from_ms, ms: 0 }
      phases.push(phase)
      running.add(name)
      try {
        return await work()
      } finally {
        phase.ms = Math.round(performance.now() - from_ms)
        running.delete(name)
      }
    },
    unfinished: () => [...running],
    measured: () => phases,
  }
}
