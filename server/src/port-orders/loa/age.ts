/** Losing carriers refuse an LOA that is older than 30 days; warned of from the 26th. */
export const loaAgeLimits = { warn_days: 25, refuse_days: 30 } as const

export interface LoaAge {
  /** Whole days since the signature. */
  age_days: number
  age: 'fresh' | 'ageing' | 'stale'
}

export function loaAge(signed_at: Date, now: Date): LoaAge {
  const age_days = Math.floor((now.getTime() - signed_at.getTime()) / (24 * 60 * 60 * 1000))
  const age = age_days > loaAgeLimits.refuse_days ? 'stale' : age_days > loaAgeLimits.warn_days ? 'ageing' : 'fresh'
  return { age_days, age }
}
